// Server-sent events (WHATWG HTML, section 9.2) over fetch, because EventSource cannot send the Authorization header.

/** One event: its name ("message" by default), its data, and the last id seen. */
export interface ServerEvent {
  event: string;
  data: string;
  id: string;
}

/** Takes text in pieces of any size and returns the complete events. */
export class EventParser {
  private rest = "";
  private event = "";
  private data: string[] = [];
  private id = "";

  push(text: string): ServerEvent[] {
    this.rest += text;
    const out: ServerEvent[] = [];
    for (;;) {
      const end = this.rest.search(/[\r\n]/);
      // A \r at the very end may be half of \r\n: wait for more.
      if (end < 0 || (this.rest[end] === "\r" && end === this.rest.length - 1)) return out;
      const line = this.rest.slice(0, end);
      this.rest = this.rest.slice(end + (this.rest.startsWith("\r\n", end) ? 2 : 1));
      const done = this.line(line);
      if (done) out.push(done);
    }
  }

  private line(line: string): ServerEvent | null {
    if (line === "") {
      const done = this.data.length > 0 ? { event: this.event || "message", data: this.data.join("\n"), id: this.id } : null;
      this.event = "";
      this.data = [];
      return done;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return null; // a comment that keeps the connection alive
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "event") this.event = value;
    else if (field === "data") this.data.push(value);
    else if (field === "id") this.id = value;
    return null;
  }
}

/** Reads the events of a response until it ends; it throws what reading throws. */
export async function* eventsOf(response: Response): AsyncGenerator<ServerEvent> {
  if (!response.body) return;
  const parser = new EventParser(), decoder = new TextDecoder(), reader = response.body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield* parser.push(decoder.decode(value, { stream: true }));
    }
  } finally {
    void reader.cancel().catch(() => undefined); // the caller has seen enough, or the stream is broken anyway
  }
}
