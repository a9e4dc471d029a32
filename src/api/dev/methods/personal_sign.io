// the word hello
>> {"jsonrpc":"2.0","id":1,"method":"personal_sign","params":["0x68656c6c6f","0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"]}
<< {"jsonrpc":"2.0","id":1,"result":"0xf16ea9a3478698f695fd1401bfe27e9e4a7e8e3da94aa72b021125e31fa899cc573c48ea3fe1d4ab61a9db10c19032026e3ed2dbccba5a178235ac27f94504311c"}

// another account
>> {"jsonrpc":"2.0","id":2,"method":"personal_sign","params":["0x00","0x1111111111111111111111111111111111111111"]}
<< {"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"Account not found","data":"The node does not sign for 0x1111111111111111111111111111111111111111; eth_accounts lists its accounts."}}

// not hex
>> {"jsonrpc":"2.0","id":3,"method":"personal_sign","params":["hello","0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"]}
<< {"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"Invalid data params"}}
