import type { SamlAddresses } from './saml-addresses.ts';

/**
 * Returns the metadata of the service provider: for one connection, or general metadata if `connectionId` is undefined.
 * The metadata that node-saml generates is not used, because it omits the requested attributes.
 */
export const spMetadata = (addresses: SamlAddresses, connectionId?: string): string => `<?xml version="1.0" encoding="UTF-8"?>
<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${addresses.entityIdOf(connectionId)}">
  <md:SPSSODescriptor AuthnRequestsSigned="false" WantAssertionsSigned="true" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <md:NameIDFormat>urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress</md:NameIDFormat>
    <md:AssertionConsumerService index="0" isDefault="true" Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${addresses.acsUrl}"/>
    <md:AttributeConsumingService index="0" isDefault="true">
      <md:ServiceName xml:lang="en">Telecom platform</md:ServiceName>
      <md:RequestedAttribute Name="email" NameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:basic" isRequired="true"/>
      <md:RequestedAttribute Name="groups" NameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:basic" isRequired="false"/>
    </md:AttributeConsumingService>
  </md:SPSSODescriptor>
</md:EntityDescriptor>
`;
