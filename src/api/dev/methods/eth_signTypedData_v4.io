// an object, or its text
>> {"jsonrpc":"2.0","id":1,"method":"eth_signTypedData_v4","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",{"types":{"Mail":[{"name":"from","type":"address"},{"name":"contents","type":"string"}]},"primaryType":"Mail","domain":{"name":"Ether Mail","chainId":1337},"message":{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","contents":"Hello"}}]}
<< {"jsonrpc":"2.0","id":1,"result":"0x47e0b9794eb1b53121ab1e133c04d44c3d61abfd4054dadeab93336a23d7b208317f070e9023daf039dec3e3d1f16c5edbd07813c9c19c87a29b868d3f416cd51b"}
>> {"jsonrpc":"2.0","id":2,"method":"eth_signTypedData_v4","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","{\"types\":{\"Mail\":[{\"name\":\"from\",\"type\":\"address\"},{\"name\":\"contents\",\"type\":\"string\"}]},\"primaryType\":\"Mail\",\"domain\":{\"name\":\"Ether Mail\",\"chainId\":1337},\"message\":{\"from\":\"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266\",\"contents\":\"Hello\"}}"]}
<< {"jsonrpc":"2.0","id":2,"result":"0x47e0b9794eb1b53121ab1e133c04d44c3d61abfd4054dadeab93336a23d7b208317f070e9023daf039dec3e3d1f16c5edbd07813c9c19c87a29b868d3f416cd51b"}
>> {"jsonrpc":"2.0","id":3,"method":"eth_signTypedData","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",{"types":{"Mail":[{"name":"from","type":"address"},{"name":"contents","type":"string"}]},"primaryType":"Mail","domain":{"name":"Ether Mail","chainId":1337},"message":{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","contents":"Hello"}}]}
<< {"jsonrpc":"2.0","id":3,"result":"0x47e0b9794eb1b53121ab1e133c04d44c3d61abfd4054dadeab93336a23d7b208317f070e9023daf039dec3e3d1f16c5edbd07813c9c19c87a29b868d3f416cd51b"}

// data that does not fit its types
>> {"jsonrpc":"2.0","id":4,"method":"eth_signTypedData_v4","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",{"types":{"Mail":[{"name":"from","type":"address"},{"name":"contents","type":"string"}]},"primaryType":"Mail","domain":{"name":"Ether Mail","chainId":1337},"message":{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"}}]}
<< {"jsonrpc":"2.0","id":4,"error":{"code":-32602,"message":"Invalid params","data":"Mail lacks contents."}}
>> {"jsonrpc":"2.0","id":5,"method":"eth_signTypedData_v4","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",{"types":{"Mail":[{"name":"from","type":"address"},{"name":"contents","type":"string"}]},"primaryType":"Mail","domain":{"name":"Ether Mail","chainId":1337},"message":{"from":"x","contents":""}}]}
<< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid params","data":"An address is 0x and 40 hex digits: \"x\" at position 0 is not a hex digit."}}
>> {"jsonrpc":"2.0","id":6,"method":"eth_signTypedData_v4","params":["0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","{"]}
<< {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"Invalid params"}}

// another account
>> {"jsonrpc":"2.0","id":7,"method":"eth_signTypedData_v4","params":["0x1111111111111111111111111111111111111111",{"types":{"Mail":[{"name":"from","type":"address"},{"name":"contents","type":"string"}]},"primaryType":"Mail","domain":{"name":"Ether Mail","chainId":1337},"message":{"from":"0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266","contents":"Hello"}}]}
<< {"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"Account not found","data":"The node does not sign for 0x1111111111111111111111111111111111111111; eth_accounts lists its accounts."}}
