/**
 * A value, or the promise of one. For hot paths whose answer is mostly there at once: each function that is `async` for
 * nothing costs a decision half a microsecond and a kilobyte (ADR 0105). Errors are thrown or rejected likewise.
 */
export type Awaitable<T> = T | Promise<T>;

/** Goes on with a value: at once where it is there. */
export function after<T, U>(value: Awaitable<T>, goOn: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}

/** What `make` comes to, or what is made of its error, whether that is thrown or rejected. */
export function orElse<T, U>(make: () => Awaitable<T>, onError: (thrown: unknown) => Awaitable<U>): Awaitable<T | U> {
  try {
    const value = make();
    return value instanceof Promise ? value.catch(onError) : value;
  } catch (thrown) {
    return onError(thrown);
  }
}
