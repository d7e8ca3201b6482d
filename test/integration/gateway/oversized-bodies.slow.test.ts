import { bodyClassOf, exposed, testOversizedBodies } from "./oversized-bodies.ts";

/** The first of each class. test/long/gateway sends bodies to all others too. */
testOversizedBodies([
  ...new Map(exposed.toReversed().map((operation) => [bodyClassOf(operation), operation])).values(),
]);
