import type { Sending } from "./account-facts.ts";
import { addToSketch, countOfSketch } from "./sketch.ts";
import { hourOf, minutesPerHour } from "./source-facts.ts";

/** Only this hour and the one before count. The hour before becomes a habit, unless it was suspicious. */
function atHour(sending: Sending | undefined, hour: number): Sending {
  const none = { hour, count: 0, networks: "", countBefore: 0, networksBefore: "", isDoubted: false };
  const empty: Sending = { ...none, maxPerHour: sending?.maxPerHour ?? 0 };
  if (sending === undefined) return empty;
  if (sending.hour >= hour) return sending;
  const maxPerHour = sending.isDoubted ? sending.maxPerHour : Math.max(sending.maxPerHour, sending.count);
  if (sending.hour < hour - 1) return { ...empty, maxPerHour };
  return { ...empty, countBefore: sending.count, networksBefore: sending.networks, maxPerHour };
}

/** Adds the submission of a mail from a network that is not known to the account. */
export function noteSubmission(
  sending: Sending | undefined,
  { network, minute }: { readonly network: string; readonly minute: number },
  isDoubted: boolean,
): Sending {
  const now = atHour(sending, hourOf(minute));
  const networks = addToSketch(now.networks, network);
  return { ...now, count: now.count + 1, networks, isDoubted: now.isDoubted || isDoubted };
}

/** The user has confirmed the hour. */
export function trustSending(sending: Sending | undefined): Sending | undefined {
  return (
    sending && {
      ...sending,
      maxPerHour: Math.max(sending.maxPerHour, sending.count, sending.countBefore),
      isDoubted: false,
    }
  );
}

/** Submissions of the last hour with this one: of the hour before, the part that is less than an hour ago. */
export function submissionsWith(
  sending: Sending | undefined,
  { network, minute }: { readonly network: string; readonly minute: number },
): { readonly count: number; readonly networks: number; readonly maxPerHour: number } {
  const hour = hourOf(minute);
  const { count, countBefore, networks, networksBefore, maxPerHour } = noteSubmission(
    sending,
    { network, minute },
    false,
  );
  const share = 1 - (minute - hour * minutesPerHour) / minutesPerHour;
  return {
    count: count + Math.floor(countBefore * share),
    networks: Math.max(countOfSketch(networks), countOfSketch(networksBefore)),
    maxPerHour,
  };
}
