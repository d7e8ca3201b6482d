const tickMs = 16;
/** A power of two. One turn of the wheel takes 32 s; later deadlines stay for several turns. */
const slotCount = 2048;
export const notListed = -1;
/** Removed from its slot by the current sweep, but not expired yet. */
const expiring = -2;

/**
 * Something with a deadline. The wheel's links are stored in the object itself, so that inserting allocates nothing.
 */
export interface Timed {
  /** Owned by the wheel, like `slot` (initially `notListed`), `previous` and `next`. */
  expiresAtMs: number;
  slot: number;
  previous: Timed | undefined;
  next: Timed | undefined;
  /** Called once, at most about 20 ms after the deadline; must not throw. */
  expire(): void;
}

export type Deadlines = ReturnType<typeof createDeadlines>;

/** The slots, as doubly linked lists through the entries. */
function createSlots() {
  const heads: (Timed | undefined)[] = Array.from({ length: slotCount }, () => undefined);
  return {
    link(slot: number, entry: Timed): void {
      const head = heads[slot];
      entry.slot = slot;
      entry.previous = undefined;
      entry.next = head;
      if (head !== undefined) head.previous = entry;
      heads[slot] = entry;
    },
    unlink(entry: Timed): void {
      if (entry.previous === undefined) heads[entry.slot] = entry.next;
      else entry.previous.next = entry.next;
      if (entry.next !== undefined) entry.next.previous = entry.previous;
      entry.slot = notListed;
      entry.previous = undefined;
      entry.next = undefined;
    },
    head: (slot: number): Timed | undefined => heads[slot],
  };
}

/** Skips an entry that was removed by the expiry of another entry in the same sweep. */
function expireOnce(entry: Timed): void {
  if (entry.slot !== expiring) return;
  entry.slot = notListed;
  entry.expire();
}

/**
 * All deadlines of a process on one timer: a hashed timer wheel with O(1) insert and remove. The timer does not keep the process alive and
 * stops when the wheel is empty. It uses monotonic time, so changes of the wall clock have no effect.
 */
export function createDeadlines() {
  const slots = createSlots();
  let timer: NodeJS.Timeout | undefined;
  let sweptTick = 0;
  let size = 0;

  /** Does nothing for an entry that is not in the wheel. */
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
    /** Calls `entry.expire()` after `delayMs` unless the entry is removed first. */
    insert(entry: Timed, delayMs: number): void {
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
    get size(): number {
      return size;
    },
  };
}
