import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toOpenSslCiphers } from './tls.ts'

test("the standard's names become OpenSSL's", () => {
  const rows = [
    ['TLS_AES_256_GCM_SHA384', 'TLS_AES_256_GCM_SHA384'],
    ['TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
    ['TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-ECDSA-CHACHA20-POLY1305'],
    ['TLS_DHE_RSA_WITH_AES_128_GCM_SHA256', 'DHE-RSA-AES128-GCM-SHA256'],
    ['TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256', 'ECDHE-RSA-AES128-SHA256'],
    ['TLS_RSA_WITH_AES_128_GCM_SHA256', 'AES128-GCM-SHA256'],
    ['TLS_RSA_WITH_AES_256_CBC_SHA', 'AES256-SHA'],
    ['ECDHE-RSA-AES256-GCM-SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
  ] as const
  for (const [name, openSslName] of rows) assert.equal(toOpenSslCiphers([name], '--x'), openSslName)
  const both = rows.slice(0, 2).map(([name]) => name)
  assert.equal(toOpenSslCiphers(both, '--x'), 'TLS_AES_256_GCM_SHA384:ECDHE-RSA-AES256-GCM-SHA384')
})
