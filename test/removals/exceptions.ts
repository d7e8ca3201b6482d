import type { Exception } from "../../tools/removals/removal.ts";

/** Rows of `test/guarantees.yaml` that no removal can check. */
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
  {
    row: "Redis is killed: responses to requests with a client address",
    reason:
      "Two mechanisms keep it, and either is enough: a count that Redis does not return is zero, and a network is unknown to an account only if Redis says so.",
  },
  { row: "`auth.risk.mode: off`", reason: "Nothing is done in this case, so there is nothing to take out." },
  {
    row: "a gateway or an engine of a version without traces",
    reason: "The mechanism is that the earlier version does not read the header with the traces.",
  },
];
