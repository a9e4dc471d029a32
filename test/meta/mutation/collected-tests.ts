/**
 * Replaces `node:test` while mutants are tried: it collects the tests of a file instead of running them, so one process
 * can run them again for every mutant.
 */
export interface CollectedTest {
  readonly name: string
  readonly run: () => Promise<void>
}

type Body = (context: object) => unknown
type Cleanup = () => unknown

export const TESTS: CollectedTest[] = []
const AT_END: Cleanup[] = []
let place: readonly string[] = []

/** Tests collected from here on are named after the file. */
export function enterFile(file: string): void {
  place = [file]
}

export async function endAll(): Promise<void> {
  for (const cleanup of AT_END) await cleanup()
}

export function test(name: string, ...rest: readonly (object | Body)[]): void {
  const body = rest.find((one): one is Body => typeof one === 'function')
  const options = rest.find((one): one is { skip?: unknown } => typeof one === 'object')
  if (body === undefined || options?.skip) return
  TESTS.push({ name: [...place, name].join(': '), run: () => runBody(body) })
}

export function suite(name: string, body: () => void): void {
  const outer = place
  place = [...outer, name]
  body()
  place = outer
}

export function after(cleanup: Cleanup): void {
  AT_END.push(cleanup)
}

/** Provides the part of the test context that the areas' tests use. */
async function runBody(body: Body): Promise<void> {
  const cleanups: Cleanup[] = []
  try {
    await body({ after: (cleanup: Cleanup) => cleanups.push(cleanup), diagnostic: () => undefined })
  } finally {
    for (const cleanup of cleanups) await cleanup()
  }
}
