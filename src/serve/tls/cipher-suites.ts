import { getCiphers } from 'node:tls'
import { serverFault } from '#serve/faults.ts'

/** TLS 1.2 suites: the standard's name is `TLS_<key exchange>_WITH_<cipher>`, OpenSSL's `<exchange>-<cipher>`. */
const TLS12_NAME = /^TLS_(\w+)_WITH_(\w+)$/

/** The standard's names, as in the options, to the list that OpenSSL takes. */
export function toOpenSslCiphers(names: readonly string[], option: string): string {
  const known = new Set(getCiphers())
  return names
    .map((name) => {
      const openSslName = toOpenSslName(name)
      if (known.has(openSslName.toLowerCase())) return openSslName
      const sentence =
        `${option}: the cipher suite ${name} is unknown here. ` +
        'Use names such as TLS_AES_256_GCM_SHA384 or TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384.'
      throw serverFault('CIPHER_SUITE_UNKNOWN', { sentence, name })
    })
    .join(':')
}

function toOpenSslName(name: string): string {
  const match = TLS12_NAME.exec(name)
  // TLS 1.3 suites have one name only, and whoever writes OpenSSL's own names means them.
  if (match === null) return name
  const [, exchange = '', cipher = ''] = match
  const short = cipher
    .replace(/^(AES|CAMELLIA|ARIA)_(\d+)/, '$1$2')
    // CBC with SHA-1 or SHA-2 is what OpenSSL means when it names no mode.
    .replace(/_CBC_/, '_')
    .replace(/_CCM_8$/, '_CCM8')
    .replace(/^(CHACHA20_POLY1305)_SHA256$/, '$1')
  // RSA key transport is OpenSSL's unnamed default.
  const parts = exchange === 'RSA' ? [short] : [exchange, short]
  return parts.join('_').replaceAll('_', '-')
}
