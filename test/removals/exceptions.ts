import type { Exception } from "../../tools/removals/removal.ts";

/** Rows of `docs/operations/promises.md` that no removal can check. */
export const exceptions: readonly Exception[] = [
  {
    row: "one of two engines, SIGTERM under load",
    reason:
      "Two mechanisms keep it, and either is enough: the engine finishes its requests, and the gateway sends those that were not answered to another engine.",
  },
  {
    row: "one of two gateways behind nginx with `check-gateways.sh` frozen",
    reason: "The mechanism is the script of the documented set-up, without which nginx has no health checks.",
  },
  {
    row: "one of two gateways behind HAProxy",
    reason: "The mechanism is the documented configuration of HAProxy, not code of Postern.",
  },
  {
    row: "one of two replicas of admin or idp behind HAProxy",
    reason: "The mechanism is the documented configuration of HAProxy, not code of Postern.",
  },
  {
    row: "Redis restored from a backup",
    reason: "The test runs the documented commands, and fails if one of them is left out.",
  },
  {
    row: "Redis hangs, or is killed: no signal and no refusal",
    reason: "Nothing is done in this case, so there is nothing to take out.",
  },
  { row: "`auth.risk.mode: off`", reason: "Nothing is done in this case, so there is nothing to take out." },
  {
    row: "clocks of gateway and engine, admin or idp differ by 60 s",
    reason: "Larger differences of the same clocks have removals of their own.",
  },
];

/** Rows whose removal has not been written yet. A row that gets one has to leave this list. */
export const unchecked: readonly string[] = [
  "bound of `delay`",
  "`notify` while Redis is unavailable",
  "what waits to be written while Redis hangs",
  "an engine stops while accounts are being",
  "admin unavailable: immediate 500 on its paths",
  "any service, SIGTERM: exit code 0 within",
  "a worker, SIGTERM: its jobs finish; the others",
  "a service provider hangs during a logout",
  "all servers stop: immediate 500, services",
  "NATS stalls: requests end at their deadline",
  "NATS is unavailable at start: services start",
  "Redis hangs, or all engines are stopped:",
  "Redis is killed: responses to requests with",
  "Redis hangs: idp: clients receive `temporarily_unavailable`",
  "Redis hangs: no token is issued; the refresh",
  "the role `queue` hangs, or is killed and",
  "Redis hangs while a job runs: the job is",
  "the response to a recovery code's use is",
  "a search for groups fails: temporary failure",
  "the server fails while accounts are being",
  "one of two servers unavailable from the start",
  "the server killed, stopped or unreachable",
  "the backend fails while second factors are",
  "a peer of the next or previous version on",
  "a rolling upgrade from an earlier version",
  "many SIGHUPs in quick succession: the last",
  "LDAP, NATS and Redis get certificates of",
  "`legacy_protocol`: raised at both engines",
  "`notify`: one mail to the contact outside",
  '"Was this you?": only a second factor or',
  "a confirmed browser: known in every network",
  "privacy: no password, digest of one, name",
  "flush: erases facts and suspicious sign-ins",
  "1,100 callers with wrong credentials at the",
  "SAML metadata that is unavailable, forged",
  "hostile CBOR: no memory is retained, no other",
  "a list of a million accounts for a slow reader",
  "twice the capacity: the median latency of",
  "the disk of Redis is full: users sign in",
  "the disk of the log is full: decisions continue;",
  "no credential, token or user name of an API",
  "a user's password reaches no log and no metric",
  "no span of OpenID Connect requests",
];
