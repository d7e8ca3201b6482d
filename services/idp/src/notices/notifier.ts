import { randomUUID } from "node:crypto";
import type { AccountNotice } from "@postern/shared/contracts";
import type { NoticeJob, NoticeQueue } from "@postern/shared/jobs";
import type { Logger } from "@postern/shared/logging";
import type { KnownDevices } from "./known-devices.ts";
import type { Notice, NoticeEvent, Notify } from "./notice.ts";
import { type NoticeMailSettings, noticeMail } from "./notice-mail.ts";

export interface NotifierSettings {
  readonly events: ReadonlySet<string>;
  readonly toWebhook: boolean;
  /** Undefined: no mail. */
  readonly mail: NoticeMailSettings | undefined;
}

export interface NotifierDeps {
  readonly settings: NotifierSettings;
  readonly queue: NoticeQueue;
  readonly devices: KnownDevices;
  /** To other services; false when it could not be sent. */
  readonly publish: (notice: AccountNotice) => boolean;
  readonly count: (event: NoticeEvent, result: "kept" | "lost") => void;
  readonly logger: Logger;
  readonly nowMs: () => number;
}

export interface Notifier {
  readonly notify: Notify;
  /** A browser has signed in: told, where it was not seen before for this account. */
  signedIn(notice: Omit<Notice, "event">, deviceToken: string): void;
  /** Resolves when all that was told is kept, or lost. */
  close(): Promise<void>;
}

/** Notices on their way to the queue; more would only wait for a Redis that is not there. */
const maxInFlight = 512;

function bodyOf({ event, factor, account, session, origin }: Notice, id: string, nowMs: number): AccountNotice {
  return {
    id,
    event,
    account,
    session,
    time: new Date(nowMs).toISOString(),
    ...(factor === undefined ? {} : { factor }),
    ...(origin.clientIp === "" ? {} : { client_ip: origin.clientIp }),
    ...(origin.userAgent === "" ? {} : { user_agent: origin.userAgent }),
  };
}

/** Tells of accounts by bus, webhook and mail. No sign-in waits for it, and none fails by it. */
export function createNotifier(deps: NotifierDeps): Notifier {
  const { settings, queue, devices, publish, count, logger, nowMs } = deps;
  const inFlight = new Set<Promise<void>>();

  const jobsOf = (notice: Notice, body: AccountNotice): readonly NoticeJob[] => {
    const { id } = body;
    const mail = settings.mail === undefined ? undefined : noticeMail(notice, settings.mail, nowMs());
    return [
      ...(settings.toWebhook ? [{ channel: "webhook", id, body: JSON.stringify(body) } as const] : []),
      ...(mail === undefined ? [] : [{ channel: "mail", id, ...mail } as const]),
    ];
  };
  const lost = ({ event, session }: Pick<Notice, "event" | "session">, err: unknown): void => {
    count(event, "lost");
    logger.error({ session, event, err }, "a notice was lost");
  };
  const tell = async (notice: Notice): Promise<void> => {
    if (!settings.events.has(notice.event)) return;
    const body = bodyOf(notice, randomUUID(), nowMs());
    publish(body);
    const jobs = jobsOf(notice, body);
    if (jobs.length > 0) await queue.add(jobs);
    count(notice.event, "kept");
  };
  const run = (about: Pick<Notice, "event" | "session">, work: () => Promise<void>): void => {
    if (inFlight.size >= maxInFlight) return lost(about, new RangeError(`${maxInFlight} are under way`));
    const one = work()
      .catch((error: unknown) => lost(about, error))
      .finally(() => inFlight.delete(one));
    inFlight.add(one);
  };
  return {
    notify: (notice) => run(notice, () => tell(notice)),
    signedIn: (told, deviceToken) => {
      const notice: Notice = { ...told, event: "new_device" };
      run(notice, async () => {
        if (await devices.isNew(told.account, deviceToken)) await tell(notice);
      });
    },
    close: async () => void (await Promise.all(inFlight)),
  };
}
