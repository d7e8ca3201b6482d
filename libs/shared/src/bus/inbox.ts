/** `<inbox>.r`: the one subject on which all replies to a process arrive, batched. */
export function repliesSubject(inbox: string): string {
  return `${inbox}.r`;
}

/**
 * `<inbox>.b.<first id>-<count>-<sent at>`: the reply subject of a batch of requests. Nobody publishes replies there; it
 * tells the server the inbox and the sender's time, and brings back NATS's own "no responders" with the ids that it is
 * about, without a table of batches.
 */
export function formatReplySubject(inbox: string, batch: Batch): string {
  return `${inbox}.b.${batch.firstId}-${batch.count}-${batch.sentAtMs}`;
}

export interface Batch {
  readonly firstId: number;
  readonly count: number;
  /** Whole milliseconds since the epoch, by the sender's clock. */
  readonly sentAtMs: number;
}

/** Where the statuses about batches arrive. */
export function batchesSubject(inbox: string): string {
  return `${inbox}.b.*`;
}

const batchToken = /^(.+)\.b\.(\d{1,10})-(\d{1,3})-(\d{1,16})$/;

/** What a reply subject says; undefined when it is not one of ours. */
export function parseReplySubject(subject: string | undefined): (Batch & { readonly inbox: string }) | undefined {
  const [, inbox, firstId, count, sentAtMs] = batchToken.exec(subject ?? "") ?? [];
  if (inbox === undefined) return undefined;
  return { inbox, firstId: Number(firstId), count: Number(count), sentAtMs: Number(sentAtMs) };
}
