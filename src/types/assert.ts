/** A bug in Cairn itself: a condition that the code relies on did not hold. Stays on in production. */
export class AssertionFailure extends Error {
  override readonly name = 'AssertionFailure'
}

/** Ends the current work when `condition` is false. `sentence` says what was relied upon. */
export function assert(condition: unknown, sentence: string): asserts condition {
  if (!condition) throw new AssertionFailure(sentence)
}
