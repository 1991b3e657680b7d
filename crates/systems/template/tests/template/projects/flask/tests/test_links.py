def test_a_link_needs_an_address(client):
    assert client.post("/links/", json={}).status_code == 400
