import type { GuessesInFlight } from "../limits/guesses-in-flight.ts";
import type { CallerAuthDeps, OnRequest } from "./caller-auth.ts";
import { rejectExhausted } from "./reject-exhausted.ts";

/**
 * For a client with as many passwords being verified as its budget has tokens: some of them may turn out to be right.
 */
const retryAfterMs = 1000;

type AdmitGuessDeps = Pick<CallerAuthDeps, "budget" | "callerAddressKey" | "reject" | "counted"> & {
  readonly guesses: GuessesInFlight;
};

/** For the password path: 429 while the client's budget is empty, or all its tokens are reserved. */
export function createAdmitGuessHook({ budget, callerAddressKey, guesses, ...answers }: AdmitGuessDeps): OnRequest {
  return async (request, reply) => {
    const key = callerAddressKey(request);
    await budget.admit(key, async (emptyForMs) => {
      const { raw: response } = reply;
      if (response.destroyed) {
        // The client disconnected while it waited: nothing is left to answer.
        reply.hijack();
        return;
      }
      if (emptyForMs === 0 && guesses.enter({ request, response, key, tokens: budget.left(key) })) return;
      rejectExhausted(answers, request, reply, emptyForMs || retryAfterMs);
    });
  };
}
