/** The JSON text of flat call trace entries; members in Besu's order. */
import { formatData, formatQuantity } from '#types/hex.ts'
import { type FlatCall, isCreation } from './flat-calls.ts'

/** The position of an entry's transaction; given only for stored blocks. */
export interface FlatPlace {
  readonly blockHash: string
  readonly blockNumber: number
  readonly transactionHash: string
  readonly transactionPosition: number
}

/** create2 if the transaction has any such creation; undefined if the method omits it. */
export type CreationMethod = 'create' | 'create2'

export function creationMethodOf(calls: readonly FlatCall[]): CreationMethod {
  return calls.some(({ frame }) => frame.type === 'create2') ? 'create2' : 'create'
}

export function flatText(call: FlatCall, creationMethod?: CreationMethod, place?: FlatPlace): string {
  const { traceAddress, subtraces } = call
  const block = place && `"blockHash":"${place.blockHash}","blockNumber":${place.blockNumber},`
  const transaction =
    place &&
    `"transactionHash":"${place.transactionHash}","transactionPosition":${place.transactionPosition},`
  return (
    `{"action":${actionText(call, creationMethod)},${block ?? ''}${resultText(call)},` +
    `"subtraces":${subtraces},"traceAddress":[${traceAddress.join(',')}],${transaction ?? ''}` +
    `"type":"${typeOf(call)}"}`
  )
}

function typeOf({ frame }: FlatCall): string {
  if (frame.type === 'selfdestruct') return 'suicide'
  return isCreation(frame) ? 'create' : 'call'
}

function actionText({ frame }: FlatCall, creationMethod: CreationMethod | undefined): string {
  const { type, from, to, input } = frame
  const value = formatQuantity(frame.value)
  const gas = formatQuantity(frame.gas)
  if (type === 'selfdestruct') return `{"address":"${from}","balance":"${value}","refundAddress":"${to}"}`
  if (isCreation(frame)) {
    const method = creationMethod === undefined ? '' : `"creationMethod":"${creationMethod}",`
    return `{${method}"from":"${from}","gas":"${gas}","init":"${formatData(input)}","value":"${value}"}`
  }
  return `{"callType":"${type}","from":"${from}","gas":"${gas}","input":"${formatData(input)}","to":"${to}","value":"${value}"}`
}

function resultText({ frame, traceAddress, error }: FlatCall): string {
  if (frame.type === 'selfdestruct') return '"result":null'
  if (error !== undefined) {
    const isTop = traceAddress.length === 0 && frame.error === 'reverted'
    return `"error":"${error}"${isTop ? `,"revertReason":"${formatData(frame.output)}"` : ''}`
  }
  const gasUsed = formatQuantity(frame.gasUsed)
  const output = formatData(frame.output)
  if (!isCreation(frame)) return `"result":{"gasUsed":"${gasUsed}","output":"${output}"}`
  return `"result":{"address":"${frame.to}","code":"${output}","gasUsed":"${gasUsed}"}`
}
