/** The certificates that a server shows, for those who want to know until when. */
import { readCertificates } from './pkcs12.ts'
import { loadTlsFiles, type TlsIdentity } from './tls-files.ts'

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** PEM. Throws a Fault where the files cannot be used. */
export function certificatesOf(identity: TlsIdentity): readonly string[] {
  const { cert, pfx, passphrase } = loadTlsFiles(identity, null).context
  if (Buffer.isBuffer(cert)) return cert.toString('latin1').match(PEM_CERTIFICATE) ?? []
  return Buffer.isBuffer(pfx) ? readCertificates(pfx, passphrase ?? '') : []
}
