module postern.test/crewjam

go 1.19

require (
	github.com/beevik/etree v1.2.0
	github.com/crewjam/saml v0.4.14
	github.com/russellhaering/goxmldsig v1.4.0
)

require (
	github.com/crewjam/httperr v0.2.0 // indirect
	github.com/golang-jwt/jwt/v4 v4.4.3 // indirect
	github.com/jonboulle/clockwork v0.2.2 // indirect
	github.com/mattermost/xml-roundtrip-validator v0.1.0 // indirect
	github.com/pkg/errors v0.9.1 // indirect
	golang.org/x/crypto v0.14.0 // indirect
)
