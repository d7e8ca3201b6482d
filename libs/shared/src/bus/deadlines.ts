const tickMs = 16;
/** A power of two; one turn of the wheel is 32 s, later deadlines stay for more turns. */
const slotCount = 2048;
export const notListed = -1;
/** Taken off its slot by the sweep that runs, its turn to expire still to come. */
const expiring = -2;

/** Something with a deadline; the wheel's links live in the object itself, so that listing allocates nothing. */
export interface Timed {
  /** Owned by the wheel, as are `slot` (starts as `notListed`), `previous` and `next`. */
  expiresAtMs: number;
  slot: number;
  previous: Timed | undefined;
  next: Timed | undefined;
  /** Called once, at or at most about 20 ms after the deadline; must not throw. */
  expire(): void;
}

export interface Deadlines {
  /** Calls `entry.expire()` after `delayMs` unless the entry is removed before. */
  readonly insert: (entry: Timed, delayMs: number) => void;
  /** Does nothing for an entry that is not listed. */
  readonly remove: (entry: Timed) => void;
  readonly size: number;
}

/** The slots as doubly linked lists through the entries themselves. */
function createSlots(): {
  link(slot: number, entry: Timed): void;
  unlink(entry: Timed): void;
  head(slot: number): Timed | undefined;
} {
  const heads: (Timed | undefined)[] = Array.from({ length: slotCount }, () => undefined);
  return {
    link(slot, entry) {
      const head = heads[slot];
      entry.slot = slot;
      entry.previous = undefined;
      entry.next = head;
      if (head !== undefined) head.previous = entry;
      heads[slot] = entry;
    },
    unlink(entry) {
      if (entry.previous === undefined) heads[entry.slot] = entry.next;
      else entry.previous.next = entry.next;
      if (entry.next !== undefined) entry.next.previous = entry.previous;
      entry.slot = notListed;
      entry.previous = undefined;
      entry.next = undefined;
    },
    head: (slot) => heads[slot],
  };
}

/** An entry that was removed by the expiry of another of the same sweep stays silent. */
function expireOnce(entry: Timed): void {
  if (entry.slot !== expiring) return;
  entry.slot = notListed;
  entry.expire();
}

/**
 * All deadlines of a process on one timer: a hashed wheel with O(1) insert and remove. The timer does not keep the
 * process alive and stops when nothing is listed. It runs on monotonic time: a step of the wall clock moves nothing.
 */
export function createDeadlines(): Deadlines {
  const slots = createSlots();
  let timer: NodeJS.Timeout | undefined;
  let sweptTick = 0;
  let size = 0;

  const remove = (entry: Timed): void => {
    if (entry.slot >= 0) {
      slots.unlink(entry);
      size -= 1;
    }
    entry.slot = notListed;
  };

  const takeExpired = (slot: number, nowMs: number, expired: Timed[]): void => {
    let entry = slots.head(slot);
    while (entry !== undefined) {
      const { next } = entry;
      if (entry.expiresAtMs <= nowMs) {
        remove(entry);
        entry.slot = expiring;
        expired.push(entry);
      }
      entry = next;
    }
  };

  const sweep = (): void => {
    const nowMs = performance.now();
    const nowTick = Math.floor(nowMs / tickMs);
    const expired: Timed[] = [];
    const from = Math.max(sweptTick + 1, nowTick - slotCount + 1);
    for (let tick = from; tick <= nowTick; tick += 1) takeExpired(tick % slotCount, nowMs, expired);
    sweptTick = Math.max(sweptTick, nowTick);
    for (const entry of expired) expireOnce(entry);
    if (size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  return {
    insert(entry, delayMs) {
      const nowMs = performance.now();
      if (timer === undefined) {
        sweptTick = Math.floor(nowMs / tickMs);
        timer = setInterval(sweep, tickMs).unref();
      }
      entry.expiresAtMs = nowMs + Math.max(0, delayMs);
      slots.link(Math.max(sweptTick + 1, Math.ceil(entry.expiresAtMs / tickMs)) % slotCount, entry);
      size += 1;
    },
    remove,
    get size() {
      return size;
    },
  };
}
