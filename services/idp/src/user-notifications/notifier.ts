import { randomUUID } from "node:crypto";
import type { AccountNotification } from "@postern/shared/contracts";
import type { NotificationJob } from "@postern/shared/domain/jobs";
import { writtenTag } from "@postern/shared/domain/localisation";
import { deviceName } from "@postern/shared/domain/programs";
import type { Logger } from "@postern/shared/platform/logging";

import { textsOf, unhyphenated } from "../pages/texts.ts";
import type { KnownDevices } from "./known-devices-redis.ts";
import type { Notification, NotificationEvent } from "./notification.ts";
import type { NotificationQueue } from "./notification-queue-redis.ts";

interface NotificationMailSettings {
  /** Name of the site. */
  readonly brand: string;
  /** URL of the user's account pages. */
  readonly link: string;
  readonly addressAttribute: string;
}

const addressForm = /^[^\s@<>()",;:\\[\]]{1,64}@[^\s@<>()",;:\\[\]]{1,189}$/;

/** Keeps a text on one line, whatever its user agent contains. */
const line = (text: string): string => text.replaceAll(/\p{C}/gu, " ");

/** Attackers choose none of these addresses, but an account may have many. */
const maxAddresses = 8;

/** The address for notifications, or while someone else may read it, all addresses that are known of the account. */
function addressesOf({ account, origin, isDoubted }: Notification, { addressAttribute }: NotificationMailSettings) {
  const named = origin.attributes[addressAttribute] ?? [];
  const all = isDoubted === true ? [...named, ...(origin.attributes["mail"] ?? []), account] : named.slice(0, 1);
  return [...new Set(all)].filter((address) => addressForm.test(address)).slice(0, maxAddresses);
}

/** The mails to the user; none for an account without a usable address. */
export function notificationMails(notification: Notification, settings: NotificationMailSettings, nowMs: number) {
  const { event, account, factor, origin, operatorText } = notification;
  const text = textsOf(origin.language);
  const time = new Intl.DateTimeFormat(writtenTag(origin.language.tag), {
    dateStyle: "medium",
    timeStyle: "long",
    timeZone: "UTC",
  }).format(nowMs);
  const what = text(`notice.${event}`, {
    account,
    factor: factor === undefined ? "" : unhyphenated(text(`mfa.${factor}`)),
  });
  const device = line(deviceName(origin.userAgent));
  const where = text("notice.where", { time, device, address: origin.clientIp });
  const parts =
    operatorText === undefined
      ? [what, where, text("notice.not_you", { link: settings.link })]
      : [what, line(operatorText)].filter((part) => part !== "");
  return addressesOf(notification, settings).map((to) => ({
    to,
    subject: line(text("notice.subject", { brand: settings.brand })),
    text: parts.join("\n\n"),
  }));
}

export interface NotifierDeps {
  readonly settings: {
    readonly events: ReadonlySet<string>;
    /** Whether the webhook gets notifications about this account. */
    readonly isForWebhook: (account: string) => boolean | Promise<boolean>;
    /** Undefined: no mail. */
    readonly mail: NotificationMailSettings | undefined;
  };
  readonly queue: NotificationQueue;
  readonly devices: KnownDevices;
  /** The account's domain, and the name of its brand; absent for that of the site. */
  readonly domainOf: (
    account: string,
  ) => Promise<{ readonly name?: string | undefined; readonly brand?: string | undefined }>;
  /** Publishes to other services; false if it could not be sent. */
  readonly publish: (notification: AccountNotification) => boolean;
  readonly count: (event: NotificationEvent, result: "kept" | "lost") => void;
  readonly logger: Pick<Logger, "error">;
  readonly nowMs: () => number;
}

/** Maximum number of notifications on their way to the queue; more would only wait for an unavailable Redis. */
const maxInFlight = 512;

function bodyOf(
  { event, factor, account, session, origin }: Notification,
  { id, atMs: nowMs, domain }: { readonly id: string; readonly atMs: number; readonly domain: string | undefined },
): AccountNotification {
  return {
    id,
    event,
    account,
    ...(domain === undefined ? {} : { domain }),
    session,
    time: new Date(nowMs).toISOString(),
    ...(factor === undefined ? {} : { factor }),
    ...(origin.clientIp === "" ? {} : { client_ip: origin.clientIp }),
    ...(origin.userAgent === "" ? {} : { user_agent: origin.userAgent }),
  };
}

/** One job for each webhook and mail, each under an id of its own. */
function createJobsOf({ settings }: Pick<NotifierDeps, "settings">) {
  return async (
    notification: Notification,
    body: AccountNotification,
    brand: string | undefined,
  ): Promise<readonly NotificationJob[]> => {
    const { id, account, event } = body;
    const about = { id, account, event };
    const of = settings.mail && { ...settings.mail, ...(brand !== undefined && { brand }) };
    const mails = of === undefined ? [] : notificationMails(notification, of, Date.parse(body.time));
    return [
      ...((await settings.isForWebhook(account))
        ? [{ channel: "webhook", ...about, body: JSON.stringify(body) } as const]
        : []),
      ...mails.map((mail, index) => ({
        channel: "mail" as const,
        ...about,
        id: index === 0 ? id : `${id}-${index}`,
        ...mail,
      })),
    ];
  };
}

/** Sends user notifications by bus, webhook and mail. No sign-in waits for them or fails because of them. */
export function createNotifier(deps: NotifierDeps) {
  const { settings, queue, devices, domainOf, publish, count, logger, nowMs } = deps;
  const inFlight = new Set<Promise<unknown>>();
  const jobsOf = createJobsOf(deps);
  const lost = ({ event, session }: Pick<Notification, "event" | "session">, err: unknown): void => {
    count(event, "lost");
    logger.error({ session, event, err }, "user notification lost");
  };
  const store = async (notification: Notification, { id, atMs }: { id: string; atMs: number }): Promise<number> => {
    if (!settings.events.has(notification.event)) return 0;
    const { name, brand } = await domainOf(notification.account);
    const body = bodyOf(notification, { id, atMs, domain: name });
    publish(body);
    const jobs = await jobsOf(notification, body, brand);
    if (jobs.length > 0) await queue.add(jobs);
    count(notification.event, "kept");
    return jobs.length;
  };
  const send = (notification: Notification) => store(notification, { id: randomUUID(), atMs: nowMs() });
  const run = (about: Pick<Notification, "event" | "session">, work: () => Promise<unknown>): void => {
    if (inFlight.size >= maxInFlight) return lost(about, new RangeError(`${maxInFlight} notifications are in flight`));
    const one = work()
      .catch((error: unknown) => lost(about, error))
      .finally(() => inFlight.delete(one));
    inFlight.add(one);
  };
  return {
    /**
     * Resolves once the notification is stored, with the number of addresses and webhooks that get it, for senders that repeat it otherwise. The
     * sender has chosen id and time.
     */
    store,
    /** Never throws and never waits, because the action is already done. */
    notify: (notification: Notification): void => run(notification, () => send(notification)),
    /** A browser has signed in: notifies the user if the browser is new for this account. */
    signedIn: (details: Omit<Notification, "event">, deviceToken: string): void => {
      const notification: Notification = { ...details, event: "new_device" };
      run(notification, async () => {
        if (await devices.isNew(details.account, deviceToken)) await send(notification);
      });
    },
    /** Resolves when every notification is in the queue, or lost. */
    close: async (): Promise<void> => void (await Promise.all(inFlight)),
  };
}

export type Notifier = ReturnType<typeof createNotifier>;
