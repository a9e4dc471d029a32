/** A bug in Cairn itself: a condition that the code relies on did not hold. Also checked in production. */
export class AssertionFailure extends Error {
  override readonly name = 'AssertionFailure'
}

/** Ends the current work if `condition` is false. `sentence` states the condition. */
export function assert(condition: unknown, sentence: string): asserts condition {
  if (!condition) throw new AssertionFailure(sentence)
}
