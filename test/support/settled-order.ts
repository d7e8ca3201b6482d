/** The names of promises in the order in which they settle. */
export async function settledOrder(work: Readonly<Record<string, Promise<unknown>>>): Promise<readonly string[]> {
  const order: string[] = [];
  await Promise.allSettled(
    Object.entries(work).map(([name, promise]) => promise.finally(() => order.push(name)).catch(() => undefined)),
  );
  return order;
}
