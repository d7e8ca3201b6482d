import type { Ok, TempFail } from "@postern/shared/contracts";
import type { WireNames } from "./naming.ts";
import { authWait, type Denial, type DialectReply, headerText } from "./reply.ts";

export type ReplyHeaders = DialectReply["headers"];

/** Response headers that every dialect has, before a dialect adds its own. */
export interface DecisionHeaders {
  readonly ok: (decision: Ok, session: string) => ReplyHeaders;
  readonly denied: (decision: Denial, session: string) => ReplyHeaders;
  readonly tempfail: (decision: TempFail, session: string) => ReplyHeaders;
}

export interface DecisionHeadersDeps {
  readonly names: WireNames;
  /** `Auth-Status` of a denial for which no policy or script has a text (ADR 0013). */
  readonly denialText: string;
}

/** Values that nginx and other proxies do not treat as a denial. */
const statusWords = new Set(["", "OK", "WAIT"]);

/** `Auth-Status` of an answer that admits no user. */
export function refusalStatus(text: string): string {
  const status = headerText(text);
  return statusWords.has(status.trim().toUpperCase()) ? "FAIL" : status;
}

/** Only for texts from a catalogue. */
function contentLanguage({ language }: Denial | TempFail): ReplyHeaders {
  return language === undefined ? [] : [["Content-Language", headerText(language)]];
}

export function createDecisionHeaders({ names, denialText }: DecisionHeadersDeps): DecisionHeaders {
  const memoryCacheValue = { hit: "Hit", miss: "Miss" } as const;
  return {
    ok: ({ account, memoryCache }, session) => [
      ["Auth-Status", "OK"],
      [names.session, session],
      ["Auth-User", headerText(account)],
      [names.memoryCache, memoryCacheValue[memoryCache]],
    ],
    denied: (decision, session) => [
      ["Auth-Status", refusalStatus(decision.message ?? denialText)],
      [names.session, session],
      [names.memoryCache, memoryCacheValue[decision.memoryCache]],
      ...authWait(decision),
      ...contentLanguage(decision),
    ],
    tempfail: (decision, session) => [
      ["Auth-Status", refusalStatus(decision.message)],
      [names.session, session],
      [names.memoryCache, memoryCacheValue.miss],
      ...contentLanguage(decision),
    ],
  };
}
