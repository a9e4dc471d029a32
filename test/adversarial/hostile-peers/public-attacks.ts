/** Attacks that anyone can make on a network whose peers are not known in advance. */
import { randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { loadCrypto } from '#evm/crypto.ts'
import { encodePacket } from '#p2p/discv4/packet.ts'
import { testNode } from '#p2p/rlpx/handshake.fixture.ts'
import { systemRandom } from '#platform/random.ts'
import { encodeNewPooledHashes } from '#sync/wire/announcements.ts'
import { decodeAskedHashes, pooledItem } from '#sync/wire/block-requests.ts'
import { ETH } from '#sync/wire/eth-codes.ts'
import { encodeIdentified } from '#sync/wire/read-message.ts'
import { type Address, parseAddress } from '#types/address.ts'
import type { Enode } from '#types/enode.ts'
import type { Hash } from '#types/hash.ts'
import { encodeRlpList } from '#types/rlp.ts'
import {
  BLOB_BYTES,
  type BlobSidecar,
  encodePooledTransaction,
  versionedHash,
} from '#types/transaction/blob-sidecar.ts'
import { signTransaction } from '#types/transaction/sign-transaction.ts'
import type { Transaction } from '#types/transaction/transaction.ts'
import { recoverSender } from '#types/transaction/transaction-sender.ts'
import { senderKey } from '../../acceptance/process/load-senders.ts'
import type { Conduct, Figures } from './hostile-peer.ts'

const CHAIN_ID = 1337n
const RECEIVER = parseAddress('88'.repeat(20))
const PRICE_WEI = 10_000_000_000n
const PER_MESSAGE = 64
const BLOBS = 6
const SPAM_FIELDS = {
  type: 0,
  chainId: CHAIN_ID,
  nonce: 1n,
  to: RECEIVER,
  data: new Uint8Array(0),
  gasPrice: PRICE_WEI,
  gasLimit: 21_000n,
  value: 0n,
} as const
const QUESTIONS = 400
const QUESTION_ADDRESSES = 40

/** Peers that claim another fork return with a new key after every disconnect. */
export const falseForkIds: Conduct = {
  status: (theirs) => ({ ...theirs, forkId: { hash: randomBytes(4), next: theirs.forkId.next } }),
}

export interface Spam {
  readonly transactions: readonly Uint8Array[]
  readonly senders: readonly Address[]
}

/** Keys of spam senders differ from those of the honest load. */
const SPAM_FILL = 2
const SPAM_BATCH = 1_000

/** One transaction per sender, with a nonce gap: it is never mined, so it stays in a pool until the pool drops it. */
export async function signSpam(count: number): Promise<Spam> {
  const { keccak, sign, recover, recoverBeside } = await loadCrypto()
  const transactions: Uint8Array[] = []
  const senders: Address[] = []
  while (transactions.length < count) {
    const batch = Array.from({ length: Math.min(SPAM_BATCH, count - transactions.length) }, (_, at) => {
      const key = senderKey(transactions.length + at, SPAM_FILL)
      return signTransaction(SPAM_FIELDS, key, keccak, sign)
    })
    const found = recoverBeside
      ? await recoverBeside(batch)
      : batch.map((transaction) => recoverSender(transaction, recover, keccak))
    transactions.push(...batch.map(({ encoded }) => encoded))
    senders.push(...found.map((sender) => sender!))
  }
  return { transactions, senders }
}

/** Shows every transaction to every node; peers of the same node take turns. */
export function spam({ transactions }: Pick<Spam, 'transactions'>, targets: number): Conduct {
  /** Transactions sent so far, by node. */
  const sent = new Map<string, number>()
  return {
    repeat: {
      everyMs: 100,
      say: (link) => {
        const { id } = link.peer.enode
        const from = sent.get(id) ?? 0
        const message = Array.from({ length: PER_MESSAGE }, (_, at) =>
          pooledItem(transactions[(from + at) % transactions.length]!),
        )
        if (!link.send(ETH.transactions, encodeRlpList(message), 'bulk')) return 0
        sent.set(id, from + PER_MESSAGE)
        return 1
      },
    },
    progress: {
      of: transactions.length,
      done: () => (sent.size < targets ? 0 : Math.min(transactions.length, ...sent.values())),
    },
  }
}

/** The generator of BLS12-381's G1 is the commitment to the constant polynomial 1, and a wrong proof of it. */
const GENERATOR = Buffer.from(
  '97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb',
  'hex',
)
const ONES = Uint8Array.from({ length: BLOB_BYTES }, (_, at) => (at % 32 === 31 ? 1 : 0))
const WRONG: BlobSidecar = {
  version: 0,
  blobs: Array.from({ length: BLOBS }, () => ONES),
  commitments: Array.from({ length: BLOBS }, () => GENERATOR),
  proofs: Array.from({ length: BLOBS }, () => GENERATOR),
}

/** Announces blobs whose hashes and commitments are right, so that only the verification of the proofs finds the fault. */
export function wrongBlobs(): Conduct {
  const announced = new Map<Hash, Transaction>()
  return {
    repeat: {
      everyMs: 200,
      say: (link) => {
        const transaction = signTransaction(
          {
            type: 3,
            chainId: CHAIN_ID,
            nonce: 0n,
            gasLimit: 21_000n,
            to: RECEIVER,
            value: 0n,
            data: new Uint8Array(0),
            accessList: [],
            maxFeePerGas: PRICE_WEI,
            maxPriorityFeePerGas: 1n,
            maxFeePerBlobGas: PRICE_WEI,
            blobVersionedHashes: WRONG.commitments.map(versionedHash),
          },
          randomBytes(32),
        )
        announced.set(transaction.hash, transaction)
        const size = encodePooledTransaction({ transaction, sidecar: WRONG }).length
        const announcement = encodeNewPooledHashes(69, [{ hash: transaction.hash, type: 3, size }])
        return link.send(ETH.newPooledTransactionHashes, announcement, 'bulk') ? 1 : 0
      },
    },
    answer: {
      delayMs: 0,
      say: (code, data, link) => {
        if (code !== ETH.getPooledTransactions) return 0
        const { id, what } = decodeAskedHashes('GetPooledTransactions', data, 1_000)
        const transactions = what.flatMap((hash) => announced.get(hash) ?? [])
        const items = transactions.map((transaction) =>
          pooledItem(encodePooledTransaction({ transaction, sidecar: WRONG })),
        )
        const content = encodeRlpList(items)
        return link.send(ETH.pooledTransactions, encodeIdentified({ id, content }), 'bulk') ? 1 : 0
      },
    },
  }
}

/**
 * Questions to discovery from many addresses and keys that never proved their address. A node that answered with more
 * bytes than it received could be used to flood a forged address, so the attack throws in that case.
 */
export async function floodDiscovery(
  targets: readonly Enode[],
  signal: AbortSignal,
  figures: Figures,
): Promise<void> {
  const expirationSeconds = Math.floor(Date.now() / 1_000) + 3_600
  const questions: Uint8Array[] = []
  for (let count = 0; count < QUESTIONS; count++) {
    const { parts } = await testNode(systemRandom)
    const packet =
      count % 2 === 0
        ? ({ type: 'findNode', target: randomBytes(64), expirationSeconds } as const)
        : ({ type: 'recordRequest', expirationSeconds } as const)
    questions.push((await encodePacket(parts.nodeKey, parts.keccak, packet)).bytes)
  }
  let sentBytes = 0
  let receivedBytes = 0
  const sockets = Array.from({ length: QUESTION_ADDRESSES }, (_, at) => {
    const socket = createSocket('udp4')
    socket.on('message', (bytes) => {
      receivedBytes += bytes.length
    })
    socket.bind(0, `127.0.1.${1 + at}`)
    return socket
  })
  for (let turn = 0; !signal.aborted; turn++) {
    for (const [at, socket] of sockets.entries()) {
      const bytes = questions[(turn * QUESTION_ADDRESSES + at) % QUESTIONS]!
      for (const { udpPort, host } of targets) {
        socket.send(bytes, udpPort!, host)
        sentBytes += bytes.length
        figures.messages += 1
      }
    }
    await new Promise((resolve) => void setTimeout(resolve, 10))
  }
  for (const socket of sockets) socket.close()
  if (receivedBytes > sentBytes)
    throw new Error(`Discovery answered ${sentBytes} unproven bytes with ${receivedBytes} bytes.`)
}
