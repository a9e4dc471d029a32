/** A thread of bench/on-time.ts: signs every nth transaction, two ether transfers for each token transfer. */
import { parentPort, workerData } from 'node:worker_threads'
import { requestOf, signOne } from './pool-workload.ts'

export interface SigningOrder {
  readonly from: number
  readonly to: number
  readonly step: number
}

const { from, to, step } = workerData as SigningOrder
const requests: string[] = []
for (let index = from; index < to; index += step) {
  requests.push(requestOf(signOne(index % 3 === 2 ? 'ERC-20' : 'transfers', index), index))
}
parentPort!.postMessage(requests)
