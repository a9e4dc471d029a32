import { boolean, listOf, path, secretText, text } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'

export const httpTlsOptions = defineOptions('TLS of JSON-RPC over HTTP', {
  enabled: { flag: '--rpc-http-tls-enabled', kind: boolean, default: false, help: 'Serve over TLS.' },
  keystoreFile: {
    flag: '--rpc-http-tls-keystore-file',
    kind: path,
    help: 'PKCS #12 file with key and certificate.',
  },
  keystorePasswordFile: {
    flag: '--rpc-http-tls-keystore-password-file',
    kind: path,
    help: 'File with its password.',
  },
  clientAuthEnabled: {
    flag: '--rpc-http-tls-client-auth-enabled',
    kind: boolean,
    default: false,
    help: 'Require a client certificate.',
  },
  knownClientsFile: {
    flag: '--rpc-http-tls-known-clients-file',
    kind: path,
    help: 'File with the names and fingerprints of clients to admit.',
  },
  caClientsEnabled: {
    flag: '--rpc-http-tls-ca-clients-enabled',
    kind: boolean,
    default: false,
    help: 'Admit clients whose certificate is signed by a known authority.',
  },
  truststoreFile: {
    flag: '--rpc-http-tls-truststore-file',
    kind: path,
    help: 'PKCS #12 file with authorities.',
  },
  truststorePasswordFile: {
    flag: '--rpc-http-tls-truststore-password-file',
    kind: path,
    help: 'File with its password.',
  },
  protocols: {
    flag: '--rpc-http-tls-protocols',
    aliases: ['--rpc-http-tls-protocol'],
    kind: listOf(text),
    label: 'PROTOCOL,…',
    default: ['TLSv1.3', 'TLSv1.2'],
    help: 'TLS versions to speak.',
  },
  cipherSuites: {
    flag: '--rpc-http-tls-cipher-suites',
    aliases: ['--rpc-http-tls-cipher-suite'],
    kind: listOf(text),
    label: 'SUITE,…',
    default: [],
    help: 'Cipher suites to offer, by their standard names.',
  },
})

export const websocketTlsOptions = defineOptions('TLS of JSON-RPC over WebSocket', {
  enabled: { flag: '--rpc-ws-ssl-enabled', kind: boolean, default: false, help: 'Serve over TLS.' },
  keystoreFile: {
    flag: '--rpc-ws-ssl-keystore-file',
    kind: path,
    help: 'PKCS #12 file with key and certificate.',
  },
  keystoreType: { flag: '--rpc-ws-ssl-keystore-type', kind: text, help: 'PKCS12 or PEM.' },
  keystorePassword: {
    flag: '--rpc-ws-ssl-keystore-password',
    kind: secretText,
    help: 'Password of that file.',
  },
  keystorePasswordFile: {
    flag: '--rpc-ws-ssl-keystore-password-file',
    kind: path,
    help: 'File with its password.',
  },
  keyFile: { flag: '--rpc-ws-ssl-key-file', kind: path, help: 'PEM file with the private key.' },
  certFile: { flag: '--rpc-ws-ssl-cert-file', kind: path, help: 'PEM file with the certificate.' },
  clientAuthEnabled: {
    flag: '--rpc-ws-ssl-client-auth-enabled',
    kind: boolean,
    default: false,
    help: 'Require a client certificate.',
  },
  truststoreFile: {
    flag: '--rpc-ws-ssl-truststore-file',
    kind: path,
    help: 'PKCS #12 file with authorities.',
  },
  truststoreType: { flag: '--rpc-ws-ssl-truststore-type', kind: text, help: 'PKCS12 or PEM.' },
  truststorePassword: {
    flag: '--rpc-ws-ssl-truststore-password',
    kind: secretText,
    help: 'Password of that file.',
  },
  truststorePasswordFile: {
    flag: '--rpc-ws-ssl-truststore-password-file',
    kind: path,
    help: 'File with its password.',
  },
  trustcertFile: { flag: '--rpc-ws-ssl-trustcert-file', kind: path, help: 'PEM file with authorities.' },
})
