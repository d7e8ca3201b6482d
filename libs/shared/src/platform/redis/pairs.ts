/** The names and values, or members and scores, that a reply has in turn. */
export function pairsIn(reply: readonly string[]): readonly (readonly [name: string, value: string])[] {
  return Array.from({ length: Math.floor(reply.length / 2) }, (_, index) => [
    reply[2 * index] ?? "",
    reply[2 * index + 1] ?? "",
  ]);
}
