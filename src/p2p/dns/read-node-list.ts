import { usageFault } from '#config/faults.ts'
import type { Option } from '#config/option.ts'
import type { Settings } from '#config/settings.ts'
import { peerOptions } from '#p2p/options.ts'
import { type ListAddress, parseListAddress } from './list-entry.ts'

export interface NodeListSource {
  readonly address: ListAddress
  /** The DNS server; undefined for those of the system. */
  readonly server: string | undefined
}

/** Bootnodes given by the operator replace a list that the network brings, as in Besu. */
export function readNodeList(settings: Settings): NodeListSource | undefined {
  const url = settings.get(peerOptions.dnsListUrl)
  if (url === undefined || url === '') return undefined
  const isBrought = (option: Option): boolean => settings.origin(option).source === 'profile'
  if (isBrought(peerOptions.dnsListUrl) && !isBrought(peerOptions.bootnodes)) return undefined
  const address = parseListAddress(url)
  if (address === undefined) {
    throw usageFault(
      `${peerOptions.dnsListUrl.flag}: ${url} is not an address of the form enrtree://KEY@DOMAIN.`,
    )
  }
  return { address, server: settings.get(peerOptions.dnsListServer) }
}
