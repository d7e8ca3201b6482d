import { expect, test } from "vitest";
import { createPublishedObjects } from "./published-objects.ts";

function stage() {
  const clock = { nowMs: 1000, now: () => clock.nowMs };
  const waiting: { uri: string; end: (object: string | Error) => void }[] = [];
  const errors: string[] = [];
  const objects = createPublishedObjects(
    (uri) =>
      new Promise((resolve, reject) => {
        waiting.push({
          uri,
          end: (object) => (object instanceof Error ? reject(object) : resolve(Buffer.from(object))),
        });
      }),
    clock,
    (uri) => errors.push(uri),
  );
  return { clock, waiting, errors, objects };
}

test("requests for the same URI share one fetch for a second", async () => {
  const { clock, waiting, objects } = stage();
  const first = [objects("https://a.test/"), objects("https://a.test/")];
  waiting[0]?.end(" x.y.z\n");
  expect(await Promise.all(first)).toEqual(["x.y.z", "x.y.z"]);
  clock.nowMs += 999;
  expect(await objects("https://a.test/")).toBe("x.y.z");
  clock.nowMs += 1;
  const later = objects("https://a.test/");
  waiting[1]?.end("a.b.c");
  expect(await later).toBe("a.b.c");
  expect(waiting).toHaveLength(2);
});

test("a failure is reported, and shared like an object", async () => {
  const { waiting, errors, objects } = stage();
  const first = objects("https://a.test/");
  waiting[0]?.end(new Error("status 404"));
  await expect(first).rejects.toMatchObject({ code: "UPSTREAM_UNAVAILABLE" });
  await expect(objects("https://a.test/")).rejects.toMatchObject({ code: "UPSTREAM_UNAVAILABLE" });
  expect([waiting.length, errors]).toEqual([1, ["https://a.test/"]]);
});

test("at most 16 are fetched at the same time, and the next succeeds when one has ended", async () => {
  const { waiting, objects } = stage();
  const running = Array.from({ length: 16 }, (_, index) => objects(`https://${index}.test/`));
  await expect(objects("https://more.test/")).rejects.toMatchObject({ code: "OVERLOADED" });
  waiting[3]?.end("x.y.z");
  await running[3];
  const more = objects("https://more.test/");
  waiting[16]?.end("a.b.c");
  expect(await more).toBe("a.b.c");
});
