/** Transactions of ethereum/tests: hash, sender and intrinsic gas by fork, and invalid transactions. */
import assert from 'node:assert/strict'
import { equalBytes } from '#types/bytes.ts'
import { Fault } from '#types/fault.ts'
import { type ForkName, includesFork } from '#types/genesis/fork-schedule.ts'
import { formatData, parseData, parseQuantityLenient } from '#types/hex.ts'
import { keccak256 } from '#types/keccak.ts'
import { intrinsicGas } from '#types/transaction/intrinsic-gas.ts'
import { encodeForSigning } from '#types/transaction/sign-transaction.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import { decodeTransaction } from '#types/transaction/transaction-decode.ts'
import { completeTransaction } from '#types/transaction/transaction-encode.ts'
import { recoverSender, signingHash } from '#types/transaction/transaction-sender.ts'
import { MAX_INITCODE_BYTES, validateTransaction } from '#types/transaction/transaction-validate.ts'
import { outcomeOf, type Pack, type Suite } from '../suite.ts'
import { isNamedProblem } from './transaction-exceptions.ts'

interface Result {
  readonly exception?: string
  readonly hash?: string
  readonly sender?: string
  readonly intrinsicGas: string
}

interface Case {
  readonly txbytes: string
  readonly result: Readonly<Record<string, Result>>
}

const FOLDER = 'ethereum-tests/TransactionTests'
const CHAIN_ID = 1n

const FORKS: Readonly<Record<string, ForkName>> = {
  Frontier: 'frontier',
  Homestead: 'homestead',
  EIP150: 'tangerineWhistle',
  EIP158: 'spuriousDragon',
  Byzantium: 'byzantium',
  Constantinople: 'constantinople',
  ConstantinopleFix: 'petersburg',
  Istanbul: 'istanbul',
  Berlin: 'berlin',
  London: 'london',
  Paris: 'paris',
  Shanghai: 'shanghai',
  Cancun: 'cancun',
}

const suite: Suite = {
  name: FOLDER,
  async *run(pack: Pack) {
    for (const path of pack.files(FOLDER)) {
      const unit = path.slice(FOLDER.length + 1)
      for (const vector of Object.values(pack.json(path) as Record<string, Case>)) {
        for (const [fork, result] of Object.entries(vector.result)) {
          const name = `${unit}#${fork}`
          yield outcomeOf(name, () => verify(name, parseData(vector.txbytes), fork, result))
        }
      }
    }
  },
}

export default suite

function verify(unit: string, bytes: Uint8Array, forkName: string, expected: Result): void {
  const fork = FORKS[forkName]
  assert.ok(fork !== undefined, `${forkName} is a fork we know.`)
  const { problem, transaction, sender } = judge(bytes, fork)
  if (expected.exception !== undefined) {
    assert.ok(problem !== undefined, `It is valid, and not ${expected.exception}.`)
    assert.ok(
      isNamedProblem(unit, expected.exception, problem),
      `It is refused for ${problem}, and not ${expected.exception}.`,
    )
    return
  }
  assert.equal(problem, undefined)
  assert.ok(transaction !== undefined)
  assert.equal(transaction.hash, expected.hash)
  assert.equal(sender, expected.sender)
  assert.equal(intrinsicGas(transaction, fork), parseQuantityLenient(expected.intrinsicGas))
  assert.ok(
    equalBytes(completeTransaction(transaction, transaction).encoded, bytes),
    'Its fields encode to its bytes.',
  )
  assert.equal(formatData(signingHash(transaction)), formatData(keccak256(encodeForSigning(transaction))))
}

function judge(
  bytes: Uint8Array,
  fork: ForkName,
): { problem?: string; transaction?: Transaction; sender?: string } {
  try {
    const transaction = decodeTransaction(bytes)
    const maxInitcodeBytes = includesFork(fork, 'shanghai') ? MAX_INITCODE_BYTES : undefined
    const verdict = validateTransaction(transaction, { fork, chainId: CHAIN_ID, maxInitcodeBytes })
    if (!verdict.ok) return { problem: verdict.reason }
    return { transaction, sender: recoverSender(transaction) }
  } catch (error) {
    if (error instanceof Fault) return { problem: error.data.sentence }
    throw error
  }
}
