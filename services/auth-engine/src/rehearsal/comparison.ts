import { type RehearsalReport, rehearsalChanges } from "@postern/shared/contracts";
import { foldedName, knownNetworkOf } from "@postern/shared/domain/brute-force";
import { NumberSet, numberOf } from "./number-set.ts";
import type { SignIn } from "./sign-in.ts";
import { type Verdict, wordsOf } from "./verdict.ts";

const mostCounted = 1_000_000;
const mostInGroup = 10_000;
const mostGroups = 200;
const mostExamples = 10;
const mostNames = 100;
const hourMs = 3_600_000;

/** How many sign-ins, and of how many accounts and networks. */
class Tally {
  signIns = 0;
  readonly #accounts: NumberSet;
  readonly #networks: NumberSet;

  constructor(limit: number) {
    this.#accounts = new NumberSet(limit);
    this.#networks = new NumberSet(limit);
  }

  add(account: string, network: string, signIns: number): boolean {
    this.signIns += signIns;
    this.#networks.add(numberOf(network));
    return this.#accounts.add(numberOf(account));
  }

  get report() {
    const isLeast = this.#accounts.isFull || this.#networks.isFull;
    return {
      sign_ins: this.signIns,
      accounts: this.#accounts.size,
      networks: this.#networks.size,
      ...(isLeast && { at_least: true }),
    };
  }
}

type Change = (typeof rehearsalChanges)[number];

function changeOf(before: Verdict, after: Verdict): Change {
  if (before.kind === "admitted") return "now_refused";
  if (after.kind === "admitted") return "now_admitted";
  return after.kind === "unknown" ? "ban_lifted" : "refused_otherwise";
}

type Example = RehearsalReport["groups"][number]["examples"][number];

class Group {
  readonly tally = new Tally(mostInGroup);
  readonly accounts: string[] = [];
  readonly examples: Example[] = [];
  readonly before: string;
  readonly after: string;
  readonly change: Change;

  constructor(before: string, after: string, change: Change) {
    this.before = before;
    this.after = after;
    this.change = change;
  }

  add({ timeMs, username, clientIp = "", protocol, session, count }: SignIn, account: string, network: string): void {
    if (this.tally.add(account, network, count) && this.accounts.length < mostNames) this.accounts.push(account);
    if (this.examples.length >= mostExamples) return;
    this.examples.push({ time: new Date(timeMs).toISOString(), username, client_ip: clientIp, protocol, session });
  }
}

const rank = ({ change }: Group): number => rehearsalChanges.indexOf(change);

/** The sign-ins that two configurations decide differently. Its size does not depend on that of the log. */
export class Comparison {
  signIns = 0;
  firstMs = 0;
  lastMs = 0;
  /** Whether there were more kinds of differences than are told apart. */
  hasMore = false;
  readonly #different = new Tally(mostCounted);
  readonly #byChange = new Map(rehearsalChanges.map((change) => [change, new Tally(mostCounted)]));
  readonly #groups = new Map<Verdict, Map<Verdict, Group>>();
  #groupCount = 0;
  readonly #hours = new Map<number, { signIns: number; different: number; refused: number }>();

  /** Counts sign-ins that both decide equally. */
  addEqual(timeMs: number, count = 1): void {
    this.firstMs = this.signIns === 0 ? timeMs : Math.min(this.firstMs, timeMs);
    this.signIns += count;
    this.lastMs = Math.max(this.lastMs, timeMs);
    this.#hourOf(timeMs).signIns += count;
  }

  add(signIn: SignIn, before: Verdict, after: Verdict): void {
    const { timeMs, count } = signIn;
    this.addEqual(timeMs, count);
    if (before === after || (before.kind === after.kind && before.why === after.why)) return;
    const change = this.addDifferent(signIn, before, after);
    const hour = this.#hourOf(timeMs);
    hour.different += count;
    if (change === "now_refused") hour.refused += count;
  }

  /** Notes a difference about sign-ins that were counted already, at times of which only one is known. */
  addDifferent(signIn: SignIn, before: Verdict, after: Verdict): Change {
    const { count } = signIn;
    const change = changeOf(before, after);
    const account = foldedName(signIn.username);
    const network = (signIn.clientIp && knownNetworkOf(signIn.clientIp)) ?? "none";
    this.#different.add(account, network, count);
    this.#byChange.get(change)?.add(account, network, count);
    this.#groupOf(before, after, change)?.add(signIn, account, network);
    return change;
  }

  #hourOf(timeMs: number) {
    const number = Math.floor(timeMs / hourMs);
    const known = this.#hours.get(number);
    if (known !== undefined) return known;
    const hour = { signIns: 0, different: 0, refused: 0 };
    this.#hours.set(number, hour);
    return hour;
  }

  #groupOf(before: Verdict, after: Verdict, change: Change): Group | undefined {
    const groups = this.#groups.get(before) ?? new Map<Verdict, Group>();
    const known = groups.get(after);
    if (known !== undefined) return known;
    if (this.#groupCount >= mostGroups) {
      this.hasMore = true;
      return undefined;
    }
    this.#groupCount += 1;
    const group = new Group(wordsOf(before), wordsOf(after), change);
    this.#groups.set(before, groups.set(after, group));
    return group;
  }

  /** Sign-ins whose user is refused instead of admitted, or the other way round. */
  get forUsers(): number {
    return (this.#byChange.get("now_refused")?.signIns ?? 0) + (this.#byChange.get("now_admitted")?.signIns ?? 0);
  }

  totals() {
    const report = (change: Change) => (this.#byChange.get(change) ?? new Tally(0)).report;
    return {
      different: this.#different.report,
      now_refused: report("now_refused"),
      now_admitted: report("now_admitted"),
      ban_lifted: report("ban_lifted"),
      refused_otherwise: report("refused_otherwise"),
    };
  }

  /** The largest groups; those that users notice come first. */
  groupReports() {
    return [...this.#groups.values()]
      .flatMap((groups) => [...groups.values()])
      .toSorted((left, right) => rank(left) - rank(right) || right.tally.signIns - left.tally.signIns)
      .map(({ before, after, change, tally, accounts, examples }) => ({
        before,
        after,
        change,
        ...tally.report,
        account_names: accounts,
        examples,
      }));
  }

  timeline() {
    return [...this.#hours]
      .toSorted(([left], [right]) => left - right)
      .map(([number, { signIns, different, refused }]) => ({
        hour: new Date(number * hourMs).toISOString(),
        sign_ins: signIns,
        different,
        now_refused: refused,
      }));
  }
}
