import type {
  AccountReport,
  DecisionRecord,
  Explanation,
  OidcSessionList,
  RiskExplanation,
} from "@postern/shared/contracts";
import { createShowPage } from "../../console-document.ts";
import { type AccountView, accountPage } from "../account-page.ts";

const show = createShowPage("https://console.example.test", "Example Mail", "/style.css");

const reportWith = (text: string): AccountReport => ({
  query: text,
  account: text,
  protocol: text,
  backends: [
    {
      name: text,
      outcome: text,
      code: text,
      account: text,
      account_field: text,
      attributes: { [text]: [text] },
      groups: [text],
      stores: [text],
    },
  ],
  factors: {
    totp: true,
    recovery_codes_left: 3,
    wrong_codes: { totp: 2, recovery: 1 },
    passkeys: [{ id: text, name: text, created: text, last_used: text }],
  },
  app_passwords: [{ id: text, label: text, protocols: [text], created: text, last_used: text }],
  notifications: [{ id: text, event: text, channel: text, outcome: text, time: text }],
  incomplete: [text],
});

const recordWith = (text: string): DecisionRecord => ({
  time: text,
  first_time: text,
  count: 1,
  outcome: text,
  text,
  channel: text,
  protocol: text,
  client_ip: text,
  instance: text,
  session: text,
});

const explanationWith = (text: string): Explanation => ({
  query: text,
  kind: "account",
  state: text,
  verdict: text,
  bans: [],
  last_failures: [],
  guessing_addresses: [],
  other_accounts: [],
  incomplete: [],
});

const riskWith = (text: string): RiskExplanation => ({
  query: text,
  mode: text,
  is_learned: true,
  networks: [],
  countries: [],
  systems: [],
  protocols: [],
  clients: [],
  guessing_networks: 0,
  hold: { kind: text, until: text },
  sign_ins: [
    {
      time: text,
      session: text,
      level: text,
      score: 60,
      signals: [text],
      country: text,
      system: 1,
      protocol: text,
      client: text,
      refusal: text,
      refused: false,
      mode: text,
      responses: [text],
    },
  ],
  incomplete: [text],
});

function sessionsWith(text: string): OidcSessionList {
  const session = { id: text, auth_time: text, mfa_completed: true };
  return {
    sessions: [
      {
        ...session,
        client_id: text,
        user_id: text,
        username: text,
        display_name: text,
        redirect_uri: text,
        mfa_method: text,
        scopes: [text],
      },
    ],
    browser_sessions: [{ ...session, client_ip: text, user_agent: text, last_seen: text, client_ids: [text] }],
  };
}

/** Every text that comes from a user, a backend, a browser or an operator. */
export function viewWith(text: string, operator: Partial<AccountView["operator"]> = {}): AccountView {
  return {
    query: text,
    answer: {
      report: reportWith(text),
      explanation: explanationWith(text),
      history: { records: [recordWith(text)] },
      sessions: sessionsWith(text),
      risk: riskWith(text),
    },
    done: undefined,
    nowMs: Date.parse("2030-05-06T14:00:00Z"),
    operator: {
      account: "ada@example.test",
      role: "admin",
      isRoleCurrent: true,
      isProved: true,
      clientIp: "192.0.2.1",
      session: "s",
      csrfToken: "t",
      cookie: "c",
      ...operator,
    },
    helpdesk: { resetsFactors: false },
    reach: "allowed",
    links: {
      search: () => "/console/search?for=handle",
      account: () => "/console/account?for=handle",
      network: () => "/console/network?for=handle",
      kept: (page) => `${page}&kept=handle`,
    },
    next: "/console/account?for=handle",
  };
}

export const bodyOf = (view: AccountView): string => show(accountPage(view), view.operator).body;
