import { AppError } from "@postern/shared/platform/errors";
import { type BerReader, Control } from "ldapts";

/** What a server adds to the result of a user's bind. */
export interface PasswordPolicy {
  /** The server answered with the password policy control, which says more than Netscape's. */
  readonly isAnswered: boolean;
  /** `error` of draft-behera-ldap-password-policy section 6.2. */
  readonly error?: number | undefined;
  /** The password has expired; it still admits the user this many times. */
  readonly graceLoginsLeft?: number | undefined;
  readonly expiresInSeconds?: number | undefined;
  /** Netscape's control: the password has expired, or must be changed after a reset. */
  readonly isExpired: boolean;
}

const passwordPolicyType = "1.3.6.1.4.1.42.2.27.8.5.1";
/** Draft-vchu-ldap-pwd-policy: servers send them unasked. */
const expiredType = "2.16.840.1.113730.3.4.4";
const expiringType = "2.16.840.1.113730.3.4.5";

/** Keeps the bytes: the library reads a damaged value as one without an error. */
class ResponseControl extends Control {
  value: Buffer | undefined;

  override parse(reader: BerReader): void {
    this.value = Buffer.from(reader.remainingBuffer);
  }
}

class UnaskedControl extends ResponseControl {
  override write(): void {
    // Requests do not contain it.
  }
}

const damaged = (what: string): AppError =>
  new AppError("DIRECTORY_DATA", { detail: `the server's ${what} cannot be read` });

const sequence = 0x30;
const warning = 0xa0;
const expiresIn = 0x80;
const graceLogins = 0x81;
const policyError = 0x81;

interface Element {
  readonly tag: number;
  readonly content: Buffer;
}

/** The elements of a BER value with definite lengths (X.690 section 8.1.3). */
function elementsOf(bytes: Buffer): readonly Element[] {
  const elements: Element[] = [];
  for (let at = 0; at < bytes.length; ) {
    const [tag = 0, first] = bytes.subarray(at);
    if (first === undefined) throw damaged("password policy control");
    const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
    const start = at + 2 + lengthBytes;
    if ((first >= 0x80 && (lengthBytes === 0 || lengthBytes > 4)) || start > bytes.length)
      throw damaged("password policy control");
    const end = start + (lengthBytes === 0 ? first : bytes.readUIntBE(at + 2, lengthBytes));
    if (end > bytes.length) throw damaged("password policy control");
    elements.push({ tag, content: bytes.subarray(start, end) });
    at = end;
  }
  return elements;
}

/** A number from 0 to maxInt (RFC 4511 section 4.1.1). */
function numberOf(content: Buffer): number {
  const value = content.length === 0 || content.length > 4 ? -1 : content.readIntBE(0, content.length);
  if (value < 0) throw damaged("password policy control");
  return value;
}

type Answer = Omit<PasswordPolicy, "isAnswered" | "isExpired">;

function readWarning(content: Buffer): Answer {
  const [choice, ...more] = elementsOf(content);
  if (choice === undefined || more.length > 0) throw damaged("password policy control");
  if (choice.tag === expiresIn) return { expiresInSeconds: numberOf(choice.content) };
  return choice.tag === graceLogins ? { graceLoginsLeft: numberOf(choice.content) } : {};
}

/** `PasswordPolicyResponseValue`; unknown members are skipped. Throws `DIRECTORY_DATA`. */
export function readPasswordPolicy(value: Buffer): Answer {
  if (value.length === 0) return {};
  const [outer, ...more] = elementsOf(value);
  if (outer?.tag !== sequence || more.length > 0) throw damaged("password policy control");
  const members = new Map(elementsOf(outer.content).map(({ tag, content }) => [tag, content]));
  const [warned, error] = [members.get(warning), members.get(policyError)];
  return {
    ...(warned === undefined ? {} : readWarning(warned)),
    ...(error === undefined ? {} : { error: numberOf(error) }),
  };
}

function readSeconds(value: Buffer): number {
  const text = value.toString("latin1");
  if (!/^\d{1,10}$/.test(text)) throw damaged("password expiring control");
  return Number(text);
}

/** Controls that ask the server, and receive all that it answers. For one bind. */
export function createPolicyControls() {
  const requested = new ResponseControl(passwordPolicyType);
  const expired = new UnaskedControl(expiredType);
  const expiring = new UnaskedControl(expiringType);
  return {
    controls: [requested, expired, expiring],
    /** Throws `DIRECTORY_DATA` for an answer that cannot be read: it may forbid the sign-in. */
    policy: (): PasswordPolicy => {
      const answer = requested.value && readPasswordPolicy(requested.value);
      const expiresInSeconds = expiring.value && readSeconds(expiring.value);
      const isExpired = expired.value !== undefined;
      return { expiresInSeconds, ...answer, isAnswered: answer !== undefined, isExpired };
    },
  };
}
