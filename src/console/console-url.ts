import type { ServiceAddress } from '#serve/services-contract.ts'

/** The address for a browser on this machine. */
export function consoleUrl({ host, port }: ServiceAddress, isSecured: boolean): string {
  const isIpv6 = host.includes(':')
  return `${isSecured ? 'https' : 'http'}://${isIpv6 ? `[${host}]` : host}:${port}/`
}
