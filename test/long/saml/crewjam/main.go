// A service provider with crewjam/saml: reads commands and writes answers, a JSON object a line.
package main

import (
	"bufio"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"net/url"
	"os"

	"github.com/beevik/etree"
	"github.com/crewjam/saml"
	"github.com/crewjam/saml/samlsp"
	dsig "github.com/russellhaering/goxmldsig"
)

type object = map[string]any

type provider struct {
	sp      *saml.ServiceProvider
	request string
	nameID  string
}

func urlOf(text string) url.URL {
	parsed, err := url.Parse(text)
	if err != nil {
		panic(err)
	}
	return *parsed
}

func (p *provider) start(command map[string]string) (object, error) {
	pair, err := tls.LoadX509KeyPair(command["cert"], command["key"])
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(pair.Certificate[0])
	if err != nil {
		return nil, err
	}
	origin := command["origin"]
	p.sp = &saml.ServiceProvider{
		EntityID:        command["entityId"],
		Key:             pair.PrivateKey.(*rsa.PrivateKey),
		Certificate:     cert,
		MetadataURL:     urlOf(origin + "/metadata"),
		AcsURL:          urlOf(origin + "/acs"),
		SloURL:          urlOf(origin + "/slo"),
		SignatureMethod: dsig.RSASHA256SignatureMethod,
		LogoutBindings:  []string{saml.HTTPPostBinding},
	}
	text, err := xml.Marshal(p.sp.Metadata())
	return object{"metadata": string(text)}, err
}

func (p *provider) trust(command map[string]string) (object, error) {
	text, err := os.ReadFile(command["metadata"])
	if err != nil {
		return nil, err
	}
	p.sp.IDPMetadata, err = samlsp.ParseMetadata(text)
	return object{}, err
}

func (p *provider) login(_ map[string]string) (object, error) {
	place := p.sp.GetSSOBindingLocation(saml.HTTPRedirectBinding)
	request, err := p.sp.MakeAuthenticationRequest(place, saml.HTTPRedirectBinding, saml.HTTPPostBinding)
	if err != nil {
		return nil, err
	}
	p.request = request.ID
	location, err := request.Redirect("/page", p.sp)
	if err != nil {
		return nil, err
	}
	return object{"location": location.String()}, nil
}

func (p *provider) acs(command map[string]string) (object, error) {
	text, err := base64.StdEncoding.DecodeString(command["response"])
	if err != nil {
		return nil, err
	}
	assertion, err := p.sp.ParseXMLResponse(text, []string{p.request})
	if err != nil {
		return nil, err
	}
	p.nameID = assertion.Subject.NameID.Value
	attributes := map[string][]string{}
	for _, statement := range assertion.AttributeStatements {
		for _, attribute := range statement.Attributes {
			for _, value := range attribute.Values {
				attributes[attribute.FriendlyName] = append(attributes[attribute.FriendlyName], value.Value)
			}
		}
	}
	return object{"attributes": attributes}, nil
}

func (p *provider) logout(_ map[string]string) (object, error) {
	place := p.sp.GetSLOBindingLocation(saml.HTTPPostBinding)
	request, err := p.sp.MakeLogoutRequest(place, p.nameID)
	if err != nil {
		return nil, err
	}
	message, err := request.Bytes()
	return object{"message": base64.StdEncoding.EncodeToString(message)}, err
}

func (p *provider) logoutResponse(command map[string]string) (object, error) {
	return object{"status": "valid"}, p.sp.ValidateLogoutResponseForm(command["response"])
}

// The library has no function that verifies a logout request, so this one is only read.
func (p *provider) logoutRequest(command map[string]string) (object, error) {
	text, err := base64.StdEncoding.DecodeString(command["request"])
	if err != nil {
		return nil, err
	}
	var request saml.LogoutRequest
	if err := xml.Unmarshal(text, &request); err != nil {
		return nil, err
	}
	place := p.sp.GetSLOBindingLocation(saml.HTTPPostBinding)
	response, err := p.sp.MakeLogoutResponse(place, request.ID)
	if err != nil {
		return nil, err
	}
	document := etree.NewDocument()
	document.SetRoot(response.Element())
	message, err := document.WriteToBytes()
	return object{"message": base64.StdEncoding.EncodeToString(message), "nameId": request.NameID.Value}, err
}

func run(p *provider, command map[string]string) (object, error) {
	switch command["do"] {
	case "start":
		return p.start(command)
	case "trust":
		return p.trust(command)
	case "login":
		return p.login(command)
	case "acs":
		return p.acs(command)
	case "logout":
		return p.logout(command)
	case "logout_response":
		return p.logoutResponse(command)
	case "logout_request":
		return p.logoutRequest(command)
	}
	return nil, fmt.Errorf("unknown command %s", command["do"])
}

func reason(err error) string {
	var invalid *saml.InvalidResponseError
	if errors.As(err, &invalid) {
		return invalid.PrivateErr.Error()
	}
	return err.Error()
}

func main() {
	p := &provider{}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	answers := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var command map[string]string
		if err := json.Unmarshal(lines.Bytes(), &command); err != nil {
			panic(err)
		}
		answer, err := run(p, command)
		if err != nil {
			answer = object{"error": reason(err)}
		}
		if err := answers.Encode(answer); err != nil {
			panic(err)
		}
	}
}
