/** `<inbox>.r`: the one subject on which all replies to a process arrive, batched. */
export function repliesSubject(inbox: string): string {
  return `${inbox}.r`;
}

/**
 * `<inbox>.b.<first id>-<count>`: the reply subject of a batch of requests. Nobody publishes replies there; it tells the
 * server the inbox, and brings back NATS's own "no responders" with the ids that it is about, without a table of batches.
 */
export function formatReplySubject(inbox: string, firstId: number, count: number): string {
  return `${inbox}.b.${firstId}-${count}`;
}

/** Where the statuses about batches arrive. */
export function batchesSubject(inbox: string): string {
  return `${inbox}.b.*`;
}

const batchToken = /\.b\.(\d{1,10})-(\d{1,3})$/;

export function parseReplySubject(subject: string): { firstId: number; count: number } | undefined {
  const [, firstId, count] = batchToken.exec(subject) ?? [];
  return firstId === undefined || count === undefined ? undefined : { firstId: Number(firstId), count: Number(count) };
}

/** The inbox of whoever sent a batch; undefined when the reply subject is not one of ours. */
export function inboxOfReplySubject(subject: string | undefined): string | undefined {
  const end = subject?.lastIndexOf(".b.") ?? -1;
  return end > 0 ? subject?.slice(0, end) : undefined;
}
