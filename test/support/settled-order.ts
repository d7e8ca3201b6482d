/** Names of promises in the order in which they settle, whatever their outcome. */
export async function settledOrder(work: Readonly<Record<string, Promise<unknown>>>): Promise<readonly string[]> {
  const order: string[] = [];
  await Promise.allSettled(
    Object.entries(work).map(([name, promise]) => promise.finally(() => order.push(name)).catch(() => undefined)),
  );
  return order;
}
