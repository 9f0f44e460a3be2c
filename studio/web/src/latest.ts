/**
 * Runs a task for the newest input only: at most one run at a time, inputs that come meanwhile replace one another, and the
 * last of them is always run. So what is shown follows the pen without a queue building up.
 */
export class Latest<I, O> {
  private busy = false;
  private next: { input: I } | null = null;
  private readonly run: (input: I) => Promise<O>;
  private readonly done: (output: O, input: I) => void;
  private readonly failed: (error: unknown, input: I) => void;

  /** done and failed are called for every run that ends, even if a newer input is waiting. */
  constructor(run: (input: I) => Promise<O>, done: (output: O, input: I) => void, failed: (error: unknown, input: I) => void) {
    this.run = run;
    this.done = done;
    this.failed = failed;
  }

  ask(input: I): void {
    this.next = { input };
    if (!this.busy) void this.work();
  }

  private async work(): Promise<void> {
    this.busy = true;
    while (this.next) {
      const { input } = this.next;
      this.next = null;
      try {
        this.done(await this.run(input), input);
      } catch (error) {
        this.failed(error, input);
      }
    }
    this.busy = false;
  }
}
