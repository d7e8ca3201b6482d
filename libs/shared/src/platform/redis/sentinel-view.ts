import type { HostPort } from "../net/host-port.ts";

/** What one sentinel says about the primary. */
export interface SentinelView {
  /** Identifier of the sentinel; several addresses may lead to one. */
  readonly id: string;
  /** Raised by each failover, which a majority of the sentinels has to permit. */
  readonly epoch: number;
  readonly primary: HostPort;
  /** The sentinels have agreed that it does not answer, so that a failover is due. */
  readonly isDown: boolean;
  /** The sentinels that it knows, including itself. */
  readonly sentinels: number;
}

export type Agreement =
  | { readonly isConfirmed: true; readonly epoch: number; readonly primary: HostPort }
  | { readonly isConfirmed: false; readonly reason: string };

/** `host:port`, with brackets around an IPv6 address. */
export function addressText({ host, port }: HostPort): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

function addressOf(host: unknown, port: unknown): HostPort | undefined {
  if (typeof host !== "string" || host === "" || typeof port !== "string" || !/^\d{1,5}$/.test(port)) return undefined;
  return Number(port) > 65_535 ? undefined : { host, port: Number(port) };
}

/** The names and values of a reply of Sentinel; other replies have none. */
function fieldsOf(reply: unknown): ReadonlyMap<unknown, unknown> {
  const words: readonly unknown[] = Array.isArray(reply) ? reply : [];
  return new Map(words.flatMap((word, index) => (index % 2 === 0 ? [[word, words[index + 1]] as const] : [])));
}

function wholeNumber(text: unknown): number | undefined {
  return typeof text === "string" && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/**
 * Undefined if the replies do not have the form of Sentinel's.
 *
 * @param master the reply to SENTINEL MASTER
 * @param address that to SENTINEL GET-MASTER-ADDR-BY-NAME: during a failover, already the new primary of the new epoch
 */
export function readView(id: string, master: unknown, address: unknown): SentinelView | undefined {
  const fields = fieldsOf(master);
  const epoch = wholeNumber(fields.get("config-epoch"));
  const others = wholeNumber(fields.get("num-other-sentinels"));
  const [host, port]: readonly unknown[] = Array.isArray(address) ? address : [];
  const primary = addressOf(host, port);
  if (epoch === undefined || others === undefined || primary === undefined) return undefined;
  const isOld = fields.get("ip") === host && fields.get("port") === port;
  return { id, epoch, primary, isDown: isOld && String(fields.get("flags")).includes("o_down"), sentinels: others + 1 };
}

/** The addresses in a reply of SENTINEL SENTINELS. */
export function readSentinels(reply: unknown): readonly HostPort[] {
  const entries: readonly unknown[] = Array.isArray(reply) ? reply : [];
  return entries.flatMap((entry) => {
    const fields = fieldsOf(entry);
    return addressOf(fields.get("ip"), fields.get("port")) ?? [];
  });
}

/**
 * The primary of the highest epoch that any sentinel names, if a majority of all sentinels names it too. A sentinel that was unavailable may name
 * the primary of an earlier epoch until it hears from the others, and so may several.
 *
 * @param configured how many sentinels the configuration names; the sentinels may know more
 */
export function agreementOf(views: readonly SentinelView[], configured: number): Agreement {
  const distinct = [...new Map(views.map((view) => [view.id, view])).values()];
  const total = Math.max(configured, ...distinct.map(({ sentinels }) => sentinels));
  const epoch = Math.max(...distinct.map((view) => view.epoch));
  const newest = distinct.find((view) => view.epoch === epoch);
  const agreeing = distinct.filter(
    (view) =>
      !view.isDown &&
      newest !== undefined &&
      view.epoch === epoch &&
      addressText(view.primary) === addressText(newest.primary),
  );
  if (newest !== undefined && agreeing.length > total / 2) return { isConfirmed: true, epoch, primary: newest.primary };
  const named = distinct.map(
    (view) => `${addressText(view.primary)} in epoch ${view.epoch}${view.isDown ? " (down)" : ""}`,
  );
  const said = named.length === 0 ? "" : `: ${named.join(", ")}`;
  return {
    isConfirmed: false,
    reason: `no majority of ${total} sentinels names one primary; ${distinct.length} answered${said}`,
  };
}
