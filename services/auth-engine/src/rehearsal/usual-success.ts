import { ipv4At } from "./network-number.ts";
import { numberOf } from "./number-set.ts";

/** Every line of a gateway about a decision begins and ends so. */
export const usualStart = '{"level":"info","time":"';
export const decidedEnd = '"msg":"decided"}';

const timeLength = 24;
const minuteLength = 16;
const quote = 34;
const zero = 48;
const comma = 44;
/** A longer part of a text would keep the whole text in memory. */
const longestWord = 12;
const foldedFrom = 128;
const hyphen = 45;

/** Fields in the order in which a gateway writes them; a success has no others. */
const dialectKey = ',"dialect":"';
const operation = ',"operation":"authenticate"';
const outcome = ',"outcome":"ok"';
const figures = [',"grace_logins_left":', ',"password_expires_s":', ',"risk_score":'];

/**
 * A success in the form that a gateway writes, read without an object or a text for it, because most lines are such ones. There is one reader
 * for a log: its properties are those of the line that it read last.
 */
export class UsualSuccess {
  timeMs = 0;
  /** The typed name as a number. */
  account = 0;
  /** -1 without a client address. */
  ipv4 = -1;
  protocol = "";
  tls = false;
  #text = "";
  #at = 0;
  #sessionFrom = 0;
  #sessionTo = 0;
  #nameFrom = 0;
  #nameTo = 0;
  #ipFrom = 0;
  #ipTo = 0;
  #minute = "";
  #minuteMs = 0;
  #unusualAt = -1;
  readonly #isDialect: (name: string) => boolean;

  constructor(isDialect: (name: string) => boolean) {
    this.#isDialect = isDialect;
  }

  get username(): string {
    return this.#text.slice(this.#nameFrom, this.#nameTo);
  }

  /** GUID of the request. */
  get session(): string {
    return this.#text.slice(this.#sessionFrom, this.#sessionTo);
  }

  get clientIp(): string | undefined {
    return this.ipv4 < 0 ? undefined : this.#text.slice(this.#ipFrom, this.#ipTo);
  }

  /** Begins a part of the log. */
  begin(text: string): void {
    this.#text = text;
    this.#unusualAt = -1;
  }

  /** False for anything unusual, of which nothing is known then. `start` grows from call to call. */
  read(start: number, end: number): boolean {
    const text = this.#text;
    if (!text.startsWith(usualStart, start) || this.#hasEscape(start, end)) return false;
    if (!this.#readTime(start + usualStart.length)) return false;
    this.#at = start + usualStart.length + timeLength + 1;
    this.#sessionFrom = this.#at + ',"session":"'.length;
    if (!this.#skipText(',"session":"')) return false;
    this.#sessionTo = this.#at - 1;
    return this.#readDialect() && this.#readAnswer() && this.#readSource() && this.#readRest(end);
  }

  /** A backslash is found once for all lines before it. */
  #hasEscape(start: number, end: number): boolean {
    if (this.#unusualAt < start) {
      const next = this.#text.indexOf("\\", start);
      this.#unusualAt = next < 0 ? Number.POSITIVE_INFINITY : next;
    }
    return this.#unusualAt < end;
  }

  #readTime(at: number): boolean {
    const text = this.#text;
    if (!text.startsWith(this.#minute, at) || this.#minute === "") {
      const minute = text.slice(at, at + minuteLength);
      this.#minuteMs = Date.parse(`${minute}:00.000Z`);
      if (!Number.isSafeInteger(this.#minuteMs)) return false;
      this.#minute = minute;
    }
    const digit = (offset: number): number => text.charCodeAt(at + minuteLength + offset) - zero;
    const seconds = digit(1) * 10 + digit(2);
    const millis = digit(4) * 100 + digit(5) * 10 + digit(6);
    this.timeMs = this.#minuteMs + seconds * 1000 + millis;
    return seconds >= 0 && seconds < 60 && millis >= 0 && millis < 1000 && text.startsWith('Z"', at + timeLength - 1);
  }

  /** Moves behind a text; false if it does not begin here or does not end. */
  #skipText(key: string): boolean {
    if (!this.#text.startsWith(key, this.#at)) return false;
    const end = this.#text.indexOf('"', this.#at + key.length);
    this.#at = end + 1;
    return end >= 0;
  }

  #readDialect(): boolean {
    const from = this.#at + dialectKey.length;
    if (!this.#skipText(dialectKey) || this.#at - from > longestWord) return false;
    if (!this.#isDialect(this.#text.slice(from, this.#at - 1))) return false;
    if (!this.#text.startsWith(operation, this.#at)) return false;
    this.#at += operation.length;
    this.#skipText(',"caller":"');
    return true;
  }

  #readAnswer(): boolean {
    if (!this.#text.startsWith(outcome, this.#at)) return false;
    this.#at += outcome.length;
    for (const key of figures) if (!this.#skipFigure(key)) return false;
    this.#skipText(',"risk_signals":"');
    return true;
  }

  /** True also if the figure is absent. */
  #skipFigure(key: string): boolean {
    const text = this.#text;
    if (!text.startsWith(key, this.#at)) return true;
    let at = this.#at + key.length;
    for (let code = text.charCodeAt(at); code !== comma; code = text.charCodeAt(at)) {
      const isDigit = (code >= zero && code < zero + 10) || code === zero - 2;
      if (!isDigit) return false;
      at += 1;
    }
    this.#at = at;
    return true;
  }

  /** The name, unless it has a character whose case or width may matter. */
  #readName(): boolean {
    const text = this.#text;
    this.#nameFrom = this.#at + ',"username":"'.length;
    if (!this.#skipText(',"username":"')) return false;
    this.#nameTo = this.#at - 1;
    for (let index = this.#nameFrom; index < this.#nameTo; index += 1) {
      const code = text.charCodeAt(index);
      if (code >= foldedFrom || (code === hyphen && text.charCodeAt(index - 1) === hyphen)) return false;
    }
    this.account = numberOf(text, this.#nameFrom, this.#nameTo);
    return true;
  }

  #readSource(): boolean {
    const text = this.#text;
    if (!this.#readName()) return false;
    const protocolFrom = this.#at + ',"protocol":"'.length;
    if (!this.#skipText(',"protocol":"')) return false;
    const length = this.#at - 1 - protocolFrom;
    if (length <= 0 || length > longestWord) return false;
    if (length !== this.protocol.length || !text.startsWith(this.protocol, protocolFrom))
      this.protocol = text.slice(protocolFrom, this.#at - 1);
    this.ipv4 = -1;
    if (!text.startsWith(',"client_ip":"', this.#at)) return true;
    this.#ipFrom = this.#at + ',"client_ip":"'.length;
    if (!this.#skipText(',"client_ip":"')) return false;
    this.#ipTo = this.#at - 1;
    this.ipv4 = ipv4At(text, this.#ipFrom, this.#ipTo);
    return this.ipv4 >= 0;
  }

  #readRest(end: number): boolean {
    const text = this.#text;
    this.#skipText(',"program":"');
    this.#skipText(',"external_session":"');
    this.tls = text.startsWith(',"tls":true', this.#at);
    if (!this.tls && !text.startsWith(',"tls":false', this.#at)) return false;
    this.#at += (this.tls ? ',"tls":true' : ',"tls":false').length;
    if (!this.#skipFigure(',"latency_ms":') || !this.#skipFigure(',"held_ms":')) return false;
    return text.charCodeAt(this.#at + 1) === quote && this.#at + 1 + decidedEnd.length === end;
  }
}
