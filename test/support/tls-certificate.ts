// A self-signed certificate for hooks.test, valid from 2020 to 2120, for receivers in tests. Made with `openssl ca
// -selfsign`; nothing trusts it unless a test says so, hence the key may be committed.

export const tlsName = 'hooks.test';

export const tlsKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgBFY+qhAohlrawBOB
BPZX9BIVw36s+chwhzpZFSOPuwahRANCAASLKTtwx6gATA4e8H/BwHVPATFbo23o
YSJT7xulHqfutRx22NxL7r62RNSpfvwemCOyKm5dvLAJgLvONVWqHs2d
-----END PRIVATE KEY-----
`;

export const tlsCertificate = `-----BEGIN CERTIFICATE-----
MIIBZDCCAQqgAwIBAgIBATAKBggqhkjOPQQDAjAVMRMwEQYDVQQDDApob29rcy50
ZXN0MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAVMRMwEQYDVQQD
DApob29rcy50ZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEiyk7cMeoAEwO
HvB/wcB1TwExW6Nt6GEiU+8bpR6n7rUcdtjcS+6+tkTUqX78HpgjsipuXbywCYC7
zjVVqh7NnaNJMEcwDwYDVR0TAQH/BAUwAwEB/zAVBgNVHREEDjAMggpob29rcy50
ZXN0MB0GA1UdDgQWBBSpoL5DbnORuxpuLA8Bkt2TdQn2DDAKBggqhkjOPQQDAgNI
ADBFAiBPiOBp8+3n6VnAjYsCmCIXTbdTk4C6ZDsamIXiuI1eNQIhAJQtC3qwsxeh
f0mhMcBZkNEPgdti6Q39mrfHThH1Ue0o
-----END CERTIFICATE-----
`;
