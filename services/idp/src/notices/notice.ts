import type { AccountNotice } from "@postern/shared/contracts";
import type { Language } from "../pages/languages.ts";

export type NoticeEvent = AccountNotice["event"];

/** Who did it, as far as a message may tell. */
export interface NoticeOrigin {
  readonly clientIp: string;
  readonly userAgent: string;
  /** Of the page that was shown. */
  readonly language: Language;
  /** Of the account, for its address. */
  readonly attributes: Readonly<Record<string, readonly string[]>>;
}

/** Something about an account that its owner and the operators should hear of. */
export interface Notice {
  readonly event: NoticeEvent;
  readonly factor?: "totp" | "webauthn";
  readonly account: string;
  /** The request's GUID. */
  readonly session: string;
  readonly origin: NoticeOrigin;
}

/** Never rejects and never waits: what was done is done. */
export type Notify = (notice: Notice) => void;
