import { writeSync } from "node:fs";
import { relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";

/** Tells the program that started vitest, in lines on descriptor 3, how many files have ended and which are running. */
export default class FileReporter implements Reporter {
  #ended = 0;
  #total = 0;
  readonly #running = new Set<string>();

  onTestRunStart(files: readonly unknown[]): void {
    this.#total = files.length;
    this.#tell();
  }

  onTestModuleQueued({ moduleId }: TestModule): void {
    this.#running.add(relative(".", moduleId));
    this.#tell();
  }

  onTestModuleEnd({ moduleId }: TestModule): void {
    this.#ended += 1;
    this.#running.delete(relative(".", moduleId));
    this.#tell();
  }

  #tell(): void {
    writeSync(3, `${this.#ended} of ${this.#total} files: ${[...this.#running].join(" ")}\n`);
  }
}
