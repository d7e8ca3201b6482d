import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.security.core.Authentication;
import org.springframework.security.saml2.core.Saml2X509Credential;
import org.springframework.security.saml2.provider.service.authentication.OpenSamlAuthenticationProvider;
import org.springframework.security.saml2.provider.service.authentication.OpenSamlAuthenticationRequestFactory;
import org.springframework.security.saml2.provider.service.authentication.Saml2AuthenticatedPrincipal;
import org.springframework.security.saml2.provider.service.authentication.Saml2AuthenticationRequestContext;
import org.springframework.security.saml2.provider.service.authentication.Saml2AuthenticationToken;
import org.springframework.security.saml2.provider.service.authentication.logout.OpenSamlLogoutRequestValidator;
import org.springframework.security.saml2.provider.service.authentication.logout.OpenSamlLogoutResponseValidator;
import org.springframework.security.saml2.provider.service.authentication.logout.Saml2LogoutRequest;
import org.springframework.security.saml2.provider.service.authentication.logout.Saml2LogoutRequestValidatorParameters;
import org.springframework.security.saml2.provider.service.authentication.logout.Saml2LogoutResponse;
import org.springframework.security.saml2.provider.service.authentication.logout.Saml2LogoutResponseValidatorParameters;
import org.springframework.security.saml2.provider.service.authentication.logout.Saml2LogoutValidatorResult;
import org.springframework.security.saml2.provider.service.registration.RelyingPartyRegistration;
import org.springframework.security.saml2.provider.service.registration.RelyingPartyRegistrations;
import org.springframework.security.saml2.provider.service.registration.Saml2MessageBinding;
import org.springframework.security.saml2.provider.service.web.authentication.logout.OpenSaml3LogoutRequestResolver;
import org.springframework.security.saml2.provider.service.web.authentication.logout.OpenSaml3LogoutResponseResolver;
import org.springframework.web.util.UriComponentsBuilder;
import org.springframework.web.util.UriUtils;

/** Spring Security as a service provider: reads commands and writes answers, a JSON object a line. */
class Provider {
  private static final ObjectMapper json = new ObjectMapper();

  private RelyingPartyRegistration registration;
  private Authentication user;
  private Saml2LogoutRequest sent;

  public static void main(String[] args) throws Exception {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    Provider provider = new Provider();
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      Map<String, Object> answer;
      try {
        answer = provider.answer(json.readTree(line));
      } catch (Exception error) {
        answer = Map.of("error", error.toString());
      }
      out.println(json.writeValueAsString(answer));
    }
  }

  private Map<String, Object> answer(JsonNode command) throws Exception {
    switch (command.get("do").asText()) {
      case "start":
        return start(command);
      case "login":
        return login();
      case "acs":
        return consume(command);
      case "logout":
        return logout();
      case "logout_response":
        return logoutResponse(query(command));
      case "logout_request":
        return logoutRequest(query(command));
      default:
        throw new IllegalArgumentException("unknown command");
    }
  }

  private static byte[] pem(Path file) throws Exception {
    String text = Files.readString(file).replaceAll("-----[A-Z ]+-----", "").replaceAll("\\s", "");
    return Base64.getDecoder().decode(text);
  }

  private Map<String, Object> start(JsonNode command) throws Exception {
    PKCS8EncodedKeySpec spec = new PKCS8EncodedKeySpec(pem(Path.of(command.get("key").asText())));
    PrivateKey key = KeyFactory.getInstance("RSA").generatePrivate(spec);
    X509Certificate certificate;
    try (var input = Files.newInputStream(Path.of(command.get("cert").asText()))) {
      certificate = (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(input);
    }
    String origin = command.get("origin").asText();
    registration = RelyingPartyRegistrations.fromMetadataLocation("file:" + command.get("metadata").asText())
      .registrationId("postern")
      .entityId(command.get("entityId").asText())
      .assertionConsumerServiceLocation(origin + "/acs")
      .singleLogoutServiceLocation(origin + "/slo")
      .singleLogoutServiceResponseLocation(origin + "/slo")
      .singleLogoutServiceBinding(Saml2MessageBinding.REDIRECT)
      .signingX509Credentials(list -> list.add(Saml2X509Credential.signing(key, certificate)))
      .decryptionX509Credentials(list -> list.add(Saml2X509Credential.decryption(key, certificate)))
      .build();
    return Map.of();
  }

  /** The address with these parameters, in the order in which they are signed. */
  private static String location(String target, Map<String, String> parameters) {
    UriComponentsBuilder builder = UriComponentsBuilder.fromUriString(target);
    for (String name : List.of("SAMLRequest", "SAMLResponse", "RelayState", "SigAlg", "Signature")) {
      String value = parameters.get(name);
      if (value != null) builder.queryParam(name, UriUtils.encode(value, StandardCharsets.ISO_8859_1));
    }
    return builder.build(true).toUriString();
  }

  private Map<String, Object> login() {
    var context = Saml2AuthenticationRequestContext.builder()
      .issuer(registration.getEntityId())
      .relyingPartyRegistration(registration)
      .assertionConsumerServiceUrl(registration.getAssertionConsumerServiceLocation())
      .relayState("state")
      .build();
    var request = new OpenSamlAuthenticationRequestFactory().createRedirectAuthenticationRequest(context);
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("SAMLRequest", request.getSamlRequest());
    parameters.put("RelayState", request.getRelayState());
    parameters.put("SigAlg", request.getSigAlg());
    parameters.put("Signature", request.getSignature());
    return Map.of("location", location(request.getAuthenticationRequestUri(), parameters));
  }

  private Map<String, Object> consume(JsonNode command) {
    String xml = new String(Base64.getDecoder().decode(command.get("response").asText()), StandardCharsets.UTF_8);
    user = new OpenSamlAuthenticationProvider().authenticate(new Saml2AuthenticationToken(registration, xml));
    var principal = (Saml2AuthenticatedPrincipal) user.getPrincipal();
    return Map.of("name", principal.getName(), "attributes", principal.getAttributes());
  }

  private Map<String, Object> logout() {
    var request = new MockHttpServletRequest("POST", "/logout");
    sent = new OpenSaml3LogoutRequestResolver((ignored, id) -> registration).resolve(request, user);
    return Map.of("location", location(sent.getLocation(), sent.getParameters()));
  }

  private static Map<String, String> query(JsonNode command) {
    String location = command.get("location").asText();
    Map<String, String> values = new LinkedHashMap<>();
    UriComponentsBuilder.fromUri(URI.create(location)).build().getQueryParams().forEach((name, list) ->
      values.put(name, UriUtils.decode(list.get(0).replace("+", "%20"), StandardCharsets.UTF_8)));
    return values;
  }

  private static Map<String, Object> outcome(Saml2LogoutValidatorResult result) {
    List<String> errors = new ArrayList<>();
    result.getErrors().forEach(error -> errors.add(error.toString()));
    return Map.of("errors", errors);
  }

  private Map<String, Object> logoutResponse(Map<String, String> query) {
    var response = Saml2LogoutResponse.withRelyingPartyRegistration(registration)
      .samlResponse(query.get("SAMLResponse"))
      .binding(Saml2MessageBinding.REDIRECT)
      .relayState(query.get("RelayState"))
      .parameters(all -> all.putAll(query))
      .build();
    var parameters = new Saml2LogoutResponseValidatorParameters(response, sent, registration);
    return outcome(new OpenSamlLogoutResponseValidator().validate(parameters));
  }

  private Map<String, Object> logoutRequest(Map<String, String> query) {
    var received = Saml2LogoutRequest.withRelyingPartyRegistration(registration)
      .samlRequest(query.get("SAMLRequest"))
      .binding(Saml2MessageBinding.REDIRECT)
      .relayState(query.get("RelayState"))
      .location(registration.getSingleLogoutServiceLocation())
      .parameters(all -> all.putAll(query))
      .build();
    var parameters = new Saml2LogoutRequestValidatorParameters(received, registration, user);
    var result = new OpenSamlLogoutRequestValidator().validate(parameters);
    if (result.hasErrors()) return outcome(result);
    var request = new MockHttpServletRequest("GET", "/slo");
    query.forEach(request::setParameter);
    var response = new OpenSaml3LogoutResponseResolver((ignored, id) -> registration).resolve(request, user);
    return Map.of("errors", List.of(), "location", location(response.getResponseLocation(), response.getParameters()));
  }
}
