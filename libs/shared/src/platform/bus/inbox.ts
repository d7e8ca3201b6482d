/** `<inbox>.r`: the single subject for all replies to a process, in batches. */
export function repliesSubject(inbox: string): string {
  return `${inbox}.r`;
}

/**
 * `<inbox>.b.<first id>-<count>-<sent at>`: the reply subject of a batch of requests. No replies are published to it. It tells the server
 * the inbox and the sender's time, and NATS's own "no responders" status returns with the ids of the batch, so that no table of batches is
 * needed.
 */
export function formatReplySubject(inbox: string, batch: Batch): string {
  return `${inbox}.b.${batch.firstId}-${batch.count}-${batch.sentAtMs}`;
}

export interface Batch {
  readonly firstId: number;
  readonly count: number;
  /** Milliseconds since the epoch on the sender's clock, as an integer. */
  readonly sentAtMs: number;
}

/** The subject on which statuses about batches arrive. */
export function batchesSubject(inbox: string): string {
  return `${inbox}.b.*`;
}

const batchToken = /^(.+)\.b\.(\d{1,10})-(\d{1,3})-(\d{1,16})$/;

/** Parses a reply subject; undefined if it was not built by `formatReplySubject`. */
export function parseReplySubject(subject: string | undefined): (Batch & { readonly inbox: string }) | undefined {
  const [, inbox, firstId, count, sentAtMs] = batchToken.exec(subject ?? "") ?? [];
  if (inbox === undefined) return undefined;
  return { inbox, firstId: Number(firstId), count: Number(count), sentAtMs: Number(sentAtMs) };
}
