import type { AccountReport, Explanation, OidcSessionList, RiskExplanation } from "@postern/shared/contracts";
import { accountPage } from "../../services/admin/src/console/account/account-page.ts";
import type { ConsolePage } from "../../services/admin/src/console/console-document.ts";
import type { SubjectLinks } from "../../services/admin/src/console/shown-values.ts";
import {
  sampleChanges,
  sampleHistory,
  sampleNowMs,
} from "../../services/admin/src/console/sign-ins/testing/sample-history.ts";
import type { Operator } from "../../services/admin/src/operators/operator.ts";

interface AccountSampleParts {
  readonly explanation: Explanation;
  readonly operator: Operator;
  readonly links: SubjectLinks;
}

const at = (time: string): string => `2030-05-06T${time}:00.000Z`;
const agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const signedIn = { auth_time: at("08:12"), mfa_completed: true };

const report: AccountReport = {
  query: "alice@example.test",
  account: "alice@example.test",
  protocol: "imap",
  backends: [
    {
      name: "ldap(staff)",
      outcome: "unavailable",
      code: "DIRECTORY_UNAVAILABLE",
      stores: [],
    },
    {
      name: "sql",
      outcome: "found",
      account: "alice@example.test",
      account_field: "username",
      attributes: { displayName: ["Alice Example"], mail: ["alice@example.test"] },
      groups: ["customers"],
      stores: ["totp", "recovery_codes", "webauthn", "app_passwords"],
    },
  ],
  factors: {
    totp: true,
    recovery_codes_left: 7,
    wrong_codes: { totp: 2 },
    passkeys: [{ id: "AQID", name: "Blue key", created: at("07:00"), last_used: at("08:12") }],
  },
  app_passwords: [
    {
      id: "0123456789abcdef",
      label: "Phone",
      protocols: ["imap", "smtp"],
      created: at("07:30"),
      last_used: at("13:00"),
    },
    { id: "0123456789abcde0", label: "Old laptop", protocols: [], created: at("07:31") },
  ],
  notifications: [
    { id: "1", event: "new_device", channel: "mail", outcome: "delivered", time: at("08:12") },
    { id: "2", event: "app_password_created", channel: "mail", outcome: "delivered", time: at("07:30") },
  ],
  changes: [...sampleChanges],
  incomplete: [],
};

const sessions: OidcSessionList = {
  sessions: [
    {
      ...signedIn,
      id: "s1",
      client_id: "webmail",
      user_id: "alice",
      username: "alice",
      display_name: "Alice",
      redirect_uri: "https://webmail.example.org/",
      mfa_method: "totp",
      scopes: ["openid", "profile"],
    },
  ],
  browser_sessions: [
    {
      ...signedIn,
      id: "b1",
      client_ip: "203.0.113.9",
      user_agent: agent,
      last_seen: at("13:52"),
      client_ids: ["webmail"],
    },
  ],
};

const bot = { country: "NG", system: 29_465, protocol: "smtp", client: "", mode: "observe", refused: false };
const risk: RiskExplanation = {
  query: "alice@example.test",
  account: "alice@example.test",
  mode: "observe",
  is_learned: true,
  networks: [],
  countries: ["de"],
  systems: ["3320"],
  protocols: ["imap", "smtp"],
  clients: ["thunderbird"],
  guessing_networks: 0,
  sign_ins: [
    {
      ...bot,
      time: at("13:40"),
      session: "5b0e77c1-91d2-4f0a-8888-000000000000",
      level: "dangerous",
      score: 150,
      signals: [
        "new_source: the network and its system AS29465 are new",
        "new_country: NG is new",
        "many_submissions: 34 submissions from unknown networks in an hour",
        "many_systems: 4 systems in an hour",
      ],
      refusal: "hold_submission",
      responses: ["notify", "hold_submission"],
    },
    {
      ...bot,
      time: at("06:10"),
      session: "c3a4d0f2-7e11-4a2b-8888-000000000000",
      country: "FR",
      system: 3215,
      protocol: "imap",
      client: "thunderbird",
      level: "suspicious",
      score: 50,
      signals: ["new_source: the network and its system AS3215 are new", "new_country: FR is new"],
      refusal: "",
      responses: ["notify"],
    },
  ],
  incomplete: [],
};

/** One account. */
export const accountSample = ({ explanation, operator, links }: AccountSampleParts): ConsolePage =>
  accountPage({
    query: explanation.query,
    reach: "allowed",
    answer: {
      report,
      explanation,
      history: sampleHistory(),
      sessions,
      risk,
    },
    done: undefined,
    nowMs: sampleNowMs,
    operator,
    helpdesk: { resetsFactors: false },
    links,
    next: "/console/account",
  });
