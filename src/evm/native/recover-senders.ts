/** Many signatures at once, beside the thread that asks. docs/wire/engine-native.md is the specification. */
import type { SignedDigest } from '#evm/engine.ts'
import { type Address, addressFromBytes } from '#types/address.ts'
import { assert } from '#types/assert.ts'
import { bigintToBytes } from '#types/bytes.ts'
import type { Addon } from './load-addon.ts'

const QUESTION_BYTES = 97
const ANSWER_BYTES = 21
/** Some 3 ms of work: the pool of threads is the one that the database writes with. */
const SIGNATURES_PER_TASK = 64

/** Who signed each; undefined: nobody can have. */
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
    assert(digest.length === 32, 'What is signed is a 32-byte digest.')
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
