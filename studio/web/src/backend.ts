// Who answers the page: a server, or the page's own worker. Both answer the same requests by the same operations.

/** What a request says besides its method and address. */
export interface Said {
  headers: Record<string, string>;
  body?: Blob | FormData | string;
}

export interface Backend {
  /** Whether it is a part of this page: then there is no token, and what it keeps goes with the tab. */
  readonly here: boolean;
  /** Answers a request as fetch does. It throws when nothing answers. */
  ask(method: string, address: string, said: Said): Promise<Response>;
  /** Whether something answers, after a time when nothing did. */
  awake(): Promise<boolean>;
}

/** The server that the page came from. */
export const remote: Backend = {
  here: false,
  ask: (method, address, said) => fetch(address, { method, ...said }),
  async awake() {
    return (await fetch("healthz", { cache: "no-store" })).ok;
  },
};
