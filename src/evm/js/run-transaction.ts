/** The work of a transaction besides running code: fees, warm addresses, delegations, refunds, clean-up. */

import type { EVMResult, Log } from '@ethereumjs/evm'
import { Address as EthereumjsAddress, hexToBytes, type PrefixedHexString } from '@ethereumjs/util'
import type { Crypto } from '#evm/crypto.ts'
import type { BlockEnvironment, EngineTransaction, SessionOptions } from '#evm/engine.ts'
import type { ExecutionError } from '#evm/execution-error.ts'
import type { Rules } from '#evm/rules.ts'
import type { AccountState } from '#evm/state-lookup.ts'
import { refuseTransaction, upfrontCostWei } from '#evm/transaction-refusal.ts'
import { addressToBytes } from '#types/address.ts'
import { hashToBytes } from '#types/hash.ts'
import { recoverAuthority } from '#types/transaction/authorization.ts'
import { floorGas, intrinsicGas, minGasLimit } from '#types/transaction/intrinsic-gas.ts'
import type { Refusal } from '#types/transaction/refusal.ts'
import type { UnsignedTransaction } from '#types/transaction/transaction.ts'
import { blobGas, effectiveGasPrice } from '#types/transaction/transaction-fees.ts'
import { MAX_NONCE } from '#types/transaction/transaction-validate.ts'
import type { CairnEvm } from './cairn-evm.ts'
import { delegationTo, isDelegation } from './delegation.ts'
import { executionErrorOf } from './ethereumjs-errors.ts'
import type { EthereumjsState } from './ethereumjs-state.ts'
import type { JournalState } from './journal-state.ts'

const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000'
/** Refund of the 25,000 gas if the authority is not a new account. */
const KNOWN_AUTHORITY_REFUND = 12_500n
const NOTHING = new Uint8Array(0)

export interface TransactionScope {
  readonly evm: CairnEvm
  readonly journal: JournalState
  readonly state: EthereumjsState
  readonly rules: Rules
  readonly block: BlockEnvironment
  /** The block in the shape that @ethereumjs/evm expects. */
  readonly header: NonNullable<Parameters<CairnEvm['runCall']>[0]['block']>
  readonly options: SessionOptions
  readonly crypto: Crypto
  readonly coinbase: Uint8Array
}

export interface TransactionRoom {
  readonly gasLeftInBlock: bigint
  readonly blobGasLeftInBlock: bigint
}

export interface Executed {
  readonly error: ExecutionError
  readonly gasUsed: bigint
  readonly gasRefunded: bigint
  readonly blobGasUsed: bigint
  readonly contract: Uint8Array | undefined
  readonly output: Uint8Array
  readonly logs: readonly Log[]
}

export type TransactionResult =
  | { readonly ok: true; readonly executed: Executed }
  | { readonly ok: false; readonly refusal: Refusal }

export async function runTransaction(
  scope: TransactionScope,
  { transaction: tx, sender, authorities }: EngineTransaction,
  room: TransactionRoom,
): Promise<TransactionResult> {
  const { options, block, rules } = scope
  const from = addressToBytes(sender)
  const gasLimit = smaller(tx.gasLimit, options.gasCap ?? tx.gasLimit)
  const refusal = refuseTransaction(tx, {
    ...room,
    block,
    waivers: options.waivers,
    gasLimit,
    minGasLimit: minGasLimit(tx, rules.fork),
    sender: senderState(scope, from),
  })
  if (refusal !== undefined) return { ok: false, refusal }

  scope.state.beginTransaction()
  scope.evm.tracer?.begin()
  const price = effectiveGasPrice(tx, block.baseFeePerGas)
  buyGas(scope, tx, from, gasLimit, price)
  warm(scope, tx, from)
  const authorized = tx.type === 4 ? delegate(scope, tx, authorities) : 0n
  const result = await call(scope, tx, from, gasLimit, price)
  const gas = settleGas(scope, tx, result, authorized)
  payForGas(scope, from, gasLimit, gas.used, price)
  clearUp(scope, result)
  return { ok: true, executed: describe(tx, result, gas) }
}

function senderState({ journal, rules }: TransactionScope, from: Uint8Array) {
  const account = journal.account(from)
  if (account === undefined) return { nonce: 0n, balance: 0n, hasCode: false }
  const code = journal.code(account.codeHash)
  const mayHave = rules.has('prague') && isDelegation(code)
  return { nonce: account.nonce, balance: account.balance, hasCode: code.length > 0 && !mayHave }
}

/** A block refuses a sender with the highest nonce; a simulation that waives nonces wraps around. */
function nextNonce(nonce: bigint): bigint {
  return BigInt.asUintN(64, nonce + 1n)
}

/** Pays the complete gas limit in advance and spends the nonce regardless of the outcome. */
function buyGas(
  scope: TransactionScope,
  tx: UnsignedTransaction,
  from: Uint8Array,
  gasLimit: bigint,
  price: bigint,
): void {
  const account = accountOrNew(scope, from)
  const cost = gasLimit * price + blobGas(tx) * scope.block.blobBaseFee
  // Lent if the session waives the balance or the fees; a block refuses such a transaction earlier.
  const needed = larger(upfrontCostWei(tx, gasLimit), cost)
  const owned = larger(account.balance, needed)
  setAccount(scope, from, { ...account, nonce: nextNonce(account.nonce), balance: owned - cost })
}

function warm({ state, rules, coinbase }: TransactionScope, tx: UnsignedTransaction, from: Uint8Array): void {
  if (!rules.has('berlin')) return
  state.warmAddress(from)
  if (tx.to !== null) state.warmAddress(addressToBytes(tx.to))
  if (rules.has('shanghai')) state.warmAddress(coinbase)
  if (tx.type === 0) return
  for (const { address, storageKeys } of tx.accessList) {
    const bytes = addressToBytes(address)
    state.warmAddress(bytes)
    for (const key of storageKeys) state.warmSlot(bytes, hashToBytes(key))
  }
}

/** EIP-7702. Skips invalid authorizations and returns the refund for known accounts. */
function delegate(
  scope: TransactionScope,
  tx: Extract<UnsignedTransaction, { type: 4 }>,
  authorities: EngineTransaction['authorities'],
): bigint {
  const { state, journal, rules, crypto } = scope
  let refund = 0n
  for (const [index, authorization] of tx.authorizationList.entries()) {
    const { chainId, nonce, address } = authorization
    if ((chainId !== 0n && chainId !== rules.chainId) || nonce >= MAX_NONCE) continue
    const signer = authorities?.[index] ?? recoverAuthority(authorization, crypto.recover, crypto.keccak)
    if (signer === undefined) continue
    const authority = addressToBytes(signer)
    state.warmAddress(authority)
    scope.evm.tracer?.touched?.address(authority)
    const account = journal.account(authority)
    const code = account === undefined ? NOTHING : journal.code(account.codeHash)
    if ((code.length > 0 && !isDelegation(code)) || (account?.nonce ?? 0n) !== nonce) continue
    if (account !== undefined) refund += KNOWN_AUTHORITY_REFUND
    const indicator = address === ZERO_ADDRESS ? NOTHING : delegationTo(addressToBytes(address))
    const balance = account?.balance ?? 0n
    setAccount(scope, authority, { nonce: nonce + 1n, balance, codeHash: journal.addCode(indicator) })
  }
  return refund
}

function call(
  { evm, header, rules }: TransactionScope,
  tx: UnsignedTransaction,
  from: Uint8Array,
  gasLimit: bigint,
  gasPrice: bigint,
): Promise<EVMResult> {
  return evm.runCall({
    block: header,
    gasPrice,
    caller: new EthereumjsAddress(from),
    gasLimit: gasLimit - intrinsicGas(tx, rules.fork),
    ...(tx.to === null ? {} : { to: new EthereumjsAddress(addressToBytes(tx.to)) }),
    value: tx.value,
    data: tx.data,
    ...(tx.type === 3
      ? { blobVersionedHashes: tx.blobVersionedHashes as readonly string[] as PrefixedHexString[] }
      : {}),
    skipNonceIncrement: true,
  })
}

interface SettledGas {
  readonly used: bigint
  readonly refunded: bigint
}

/** Refunds are limited to a part of the spent gas, and call data has a minimum price. */
function settleGas(
  { rules }: TransactionScope,
  tx: UnsignedTransaction,
  { execResult }: EVMResult,
  authorized: bigint,
): SettledGas {
  const spent = intrinsicGas(tx, rules.fork) + execResult.executionGasUsed
  const earned = authorized + (execResult.gasRefund ?? 0n)
  const most = spent / (rules.has('london') ? 5n : 2n)
  const refunded = smaller(earned, most)
  const floor = floorGas(tx, rules.fork)
  const used = spent - refunded
  return used < floor ? { used: floor, refunded: 0n } : { used, refunded }
}

function payForGas(
  scope: TransactionScope,
  from: Uint8Array,
  gasLimit: bigint,
  gasUsed: bigint,
  price: bigint,
): void {
  const { block, coinbase } = scope
  const account = accountOrNew(scope, from)
  setAccount(scope, from, { ...account, balance: account.balance + (gasLimit - gasUsed) * price })
  // The base fee is burnt. Only a simulated call pays less, and then there is no tip.
  const tip = price > block.baseFeePerGas ? price - block.baseFeePerGas : 0n
  const beneficiary = accountOrNew(scope, coinbase)
  setAccount(scope, coinbase, { ...beneficiary, balance: beneficiary.balance + gasUsed * tip })
}

/** Removes self-destructed accounts; from Cancun on only those created in the same transaction. */
export function clearUp({ journal, state, rules }: TransactionScope, { execResult }: EVMResult): void {
  for (const address of execResult.selfdestruct?.keys() ?? []) {
    if (rules.has('cancun') && !execResult.createdAddresses?.has(address)) continue
    journal.destroy(hexToBytes(address))
  }
  if (rules.has('spuriousDragon')) state.clearEmptyAccounts(execResult.exceptionError !== undefined)
}

function describe(
  tx: UnsignedTransaction,
  { execResult, createdAddress }: EVMResult,
  gas: SettledGas,
): Executed {
  const error = executionErrorOf(execResult.exceptionError)
  const isSuccess = error === 'none' || error === 'codeNotPaid'
  return {
    error,
    gasUsed: gas.used,
    gasRefunded: gas.refunded,
    blobGasUsed: blobGas(tx),
    contract: isSuccess && tx.to === null ? createdAddress?.bytes : undefined,
    output: execResult.returnValue,
    logs: isSuccess ? (execResult.logs ?? []) : [],
  }
}

function accountOrNew({ journal }: TransactionScope, address: Uint8Array): AccountState {
  return journal.account(address) ?? { nonce: 0n, balance: 0n, codeHash: journal.emptyCodeHash }
}

function setAccount({ journal, state }: TransactionScope, address: Uint8Array, value: AccountState): void {
  state.touch(address)
  journal.setAccount(address, value)
}

function smaller(a: bigint, b: bigint): bigint {
  if (a < b) return a
  return b
}

function larger(a: bigint, b: bigint): bigint {
  if (a > b) return a
  return b
}
