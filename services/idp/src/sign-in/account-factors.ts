import type { FlowRecord } from "../flow/flow-record.ts";
import { type EnrolledFactors, neededFactors } from "../second-factors/needed-factors.ts";
import { flowWithAnyFactor } from "../second-factors/sign-in-demands.ts";
import type { SignInContext } from "./context.ts";

function acrValuesOf({ params }: FlowRecord): readonly string[] {
  return (params?.acrValues ?? "").split(" ").filter((value) => value !== "");
}

/** What a sign-in needs of the account's factors, for the application and for the account's domain, and whether the domain requires one. */
export async function factorsOf(
  { domains }: Pick<SignInContext, "domains">,
  flow: FlowRecord,
  account: string,
  enrolled: EnrolledFactors,
) {
  const isRequired = await domains.requiresFactor(account);
  const demands = isRequired ? flowWithAnyFactor(flow.client) : flow.client;
  return { isRequired, needed: neededFactors(enrolled, demands, acrValuesOf(flow)) };
}
