/** Undo and redo over values that are never changed in place. */
export class History<T> {
  private past: T[] = [];
  private future: T[] = [];
  private readonly limit: number;

  /** Keeps at most limit values for undo. */
  constructor(limit = 100) {
    this.limit = limit;
  }

  /** Stores the value before a change, and forgets the values to redo. */
  push(before: T): void {
    this.past.push(before);
    if (this.past.length > this.limit) this.past.shift();
    this.future = [];
  }

  /** The value before the last change, or undefined; now is the value for redo. */
  undo(now: T): T | undefined {
    const before = this.past.pop();
    if (before !== undefined) this.future.push(now);
    return before;
  }

  /** The value before the last undo, or undefined. */
  redo(now: T): T | undefined {
    const after = this.future.pop();
    if (after !== undefined) this.past.push(now);
    return after;
  }

  get canUndo(): boolean {
    return this.past.length > 0;
  }

  get canRedo(): boolean {
    return this.future.length > 0;
  }
}
