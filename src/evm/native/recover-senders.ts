/** Recovers many senders at once on other threads. docs/internals/wire/engine-native.md is the specification. */
import type { SignedDigest } from '#evm/engine.ts'
import { type Address, addressFromBytes } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import { bigintToBytes } from '#types/bytes.ts'
import type { Addon } from './load-addon.ts'

const QUESTION_BYTES = 97
const ANSWER_BYTES = 21
/** About 3 ms of work, because the database writes in the same thread pool. */
const SIGNATURES_PER_TASK = 64

/** Returns undefined for an impossible signature. */
export async function recoverSenders(
  addon: Addon,
  signed: readonly SignedDigest[],
): Promise<(Address | undefined)[]> {
  const tasks: Promise<(Address | undefined)[]>[] = []
  for (let from = 0; from < signed.length; from += SIGNATURES_PER_TASK) {
    tasks.push(recoverSome(addon, signed.slice(from, from + SIGNATURES_PER_TASK)))
  }
  return (await Promise.all(tasks)).flat()
}

async function recoverSome(addon: Addon, signed: readonly SignedDigest[]): Promise<(Address | undefined)[]> {
  const questions = new Uint8Array(signed.length * QUESTION_BYTES)
  for (const [index, { digest, r, s, yParity }] of signed.entries()) {
    assert(digest.length === 32, 'The digest has 32 bytes.')
    const at = index * QUESTION_BYTES
    questions.set(digest, at)
    questions.set(bigintToBytes(r, 32), at + 32)
    questions.set(bigintToBytes(s, 32), at + 64)
    questions[at + 96] = yParity
  }
  const answers = await addon.recoverSenders(questions)
  return signed.map((_, index) => {
    const at = index * ANSWER_BYTES
    return answers[at] === 0 ? undefined : addressFromBytes(answers.subarray(at + 1, at + ANSWER_BYTES))
  })
}
