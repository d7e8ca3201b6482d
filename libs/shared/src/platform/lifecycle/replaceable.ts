/** What is in use until a reload replaces it. The one before ends after `lingerMs`, by which time its last call has ended. */
export class Replaceable<Item> {
  #current: Item;
  readonly #retired = new Map<NodeJS.Timeout, Item>();
  readonly #lingerMs: number;
  readonly #end: (item: Item) => Promise<unknown>;
  readonly #onError: (error: unknown) => void;

  constructor(first: Item, lingerMs: number, end: (item: Item) => Promise<unknown>, onError: (error: unknown) => void) {
    this.#current = first;
    this.#lingerMs = lingerMs;
    this.#end = end;
    this.#onError = onError;
  }

  get current(): Item {
    return this.#current;
  }

  swap(next: Item): void {
    const old = this.#current;
    this.#current = next;
    const timer = setTimeout(() => {
      this.#retired.delete(timer);
      this.#end(old).catch(this.#onError);
    }, this.#lingerMs);
    this.#retired.set(timer.unref(), old);
  }

  async close(): Promise<void> {
    for (const timer of this.#retired.keys()) clearTimeout(timer);
    await Promise.all([...this.#retired.values(), this.#current].map((item) => this.#end(item)));
    this.#retired.clear();
  }
}
